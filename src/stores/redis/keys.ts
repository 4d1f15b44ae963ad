/** The keys of one thread. They share a hash tag, so that a cluster keeps them in one place. */
export interface ThreadKeys {
  /** Hash: token, holder, until; version, state, messageCount, lastSeq, commit. */
  readonly thread: string;
  /** List, in order. */
  readonly messages: string;
  /** Stream; the number of an event is the first half of its id. */
  readonly events: string;
  /** Hash by call id. */
  readonly ledger: string;
  /** Hash by approval id. */
  readonly approvals: string;
  /** Sorted set of the ids of open approvals. */
  readonly open: string;
  /** Hash by policy. */
  readonly memory: string;
  /** Hash by artifact id. */
  readonly artifacts: string;
}

export class Keys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The version of all of this. */
  get format(): string {
    return `${this.#prefix}:format`;
  }

  /** Sorted set of the ids of threads; may hold some that were never committed. */
  get threads(): string {
    return `${this.#prefix}:threads`;
  }

  /** Sorted set of open approvals of all threads, by approval and thread; may hold some that are not open. */
  get open(): string {
    return `${this.#prefix}:open`;
  }

  /** Which thread an approval belongs to. */
  approval(approvalId: string): string {
    return `${this.#prefix}:approval:${tag(approvalId)}`;
  }

  /** Hash: value, until; goes away by itself. */
  counter(key: string): string {
    return `${this.#prefix}:counter:${tag(key)}`;
  }

  /** What one increment gave, in the place of its counter. */
  increment(key: string, id: string): string {
    return `${this.counter(key)}:${id}`;
  }

  of(threadId: string): ThreadKeys {
    const key = (kind: string): string => `${this.#prefix}:${tag(threadId)}:${kind}`;
    return {
      thread: key('thread'),
      messages: key('messages'),
      events: key('events'),
      ledger: key('ledger'),
      approvals: key('approvals'),
      open: key('open'),
      memory: key('memory'),
      artifacts: key('artifacts'),
    };
  }
}

/** A hash tag ends at the first closing brace, and an empty one is none. */
function tag(id: string): string {
  const safe = id.replaceAll('%', '%25').replaceAll('}', '%7D');
  return `{${safe === '' ? '%' : safe}}`;
}
