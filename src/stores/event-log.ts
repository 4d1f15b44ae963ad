import { ThreadConflictError } from '../errors/store-error.ts';
import type { AgentEvent } from '../events/event.ts';
import { PackedEvents } from '../events/packed-events.ts';

/** Events of one commit. */
export type EventsPart = PackedEvents | readonly AgentEvent[];

/** The events of one thread; packed where they came so. */
export class EventLog {
  readonly #parts: EventsPart[] = [];

  /** 0 for none. */
  get lastSeq(): number {
    const last = this.#parts.at(-1);
    return last === undefined ? 0 : lastSeqOf(last);
  }

  add(part: EventsPart): void {
    if (firstSeqOf(part) === undefined) return;
    const before = this.#parts.at(-1);
    const joined =
      before instanceof PackedEvents && part instanceof PackedEvents
        ? before.joined(part)
        : undefined;
    if (joined === undefined) this.#parts.push(part);
    else this.#parts[this.#parts.length - 1] = joined;
  }

  /** Those above `after`, the first `limit` of them. Those that were packed are new objects each time. */
  read(after: number, limit: number): readonly AgentEvent[] {
    const read: AgentEvent[] = [];
    for (let index = this.#partOf(after); index < this.#parts.length; index += 1) {
      for (const event of eventsOf(this.#parts[index] ?? [])) {
        if (read.length === limit) return read;
        if (event.seq > after) read.push(event);
      }
    }
    return read;
  }

  map(change: (event: AgentEvent) => AgentEvent): EventLog {
    const log = new EventLog();
    for (const part of this.#parts) log.add(eventsOf(part).map(change));
    return log;
  }

  /** The last part that begins at or before `seq`, found by halves: events are in the order of their numbers. */
  #partOf(seq: number): number {
    let low = 0;
    let high = this.#parts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((firstSeqOf(this.#parts[middle] ?? []) ?? seq) <= seq) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Throws `ThreadConflictError` where an event is not above those before it. */
export function checkNew(threadId: string, lastSeq: number, part: EventsPart): void {
  let last = lastSeq;
  // What was packed was counted.
  const seqs = part instanceof PackedEvents ? [part.firstSeq] : part.map(({ seq }) => seq);
  for (const seq of seqs) {
    if (seq === undefined) return;
    if (!(seq > last)) throw new ThreadConflictError(threadId, 'an event number is not new');
    last = seq;
  }
}

function firstSeqOf(part: EventsPart): number | undefined {
  return part instanceof PackedEvents ? part.firstSeq : part[0]?.seq;
}

function lastSeqOf(part: EventsPart): number {
  return (part instanceof PackedEvents ? part.lastSeq : part.at(-1)?.seq) ?? 0;
}

function eventsOf(part: EventsPart): readonly AgentEvent[] {
  return part instanceof PackedEvents ? part.events : part;
}
