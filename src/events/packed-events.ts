import type { AgentEvent, EventBody, EventStamp } from './event.ts';
import { type EventForm, type EventForms, SMALL, unpackBody } from './event-forms.ts';
import { stamped } from './stamp.ts';

/**
 * What the values after it are; each other event begins with its form. In memory only, so the numbers may change. From
 * `LATER` on, a number says how much later the next event is than the one before it, and in which step: see `#later`.
 */
const STAMP = 0;
const EVENT = 1;
const LATER = 2;

/** How many values a stamp takes. Every list begins with one. */
const STAMP_SIZE = 4;

/** What the events of many commits have in common. */
interface Source {
  readonly threadId: string;
  readonly turnId: string;
  /** Times are kept as what they are after it, in ms. */
  readonly since: number;
}

/**
 * Packs events of one thread, in their order: of the kinds that every step tells only what differs, and each other event
 * as it is. Ten events a step are most of what a thread is made of, and as objects they take three times the room.
 */
export class EventPacker {
  readonly #forms: EventForms;
  /** Used again for every commit; a step fits, so that it does not grow. */
  readonly #values: unknown[] = new Array(64);
  #source: Source;
  #length = 0;
  #nextSeq = 0;
  #step = 0;
  #time = 0;
  #at = 0;
  /** What can stand for the first stamp after what was taken last; undefined for nothing. */
  #link: number | undefined;
  #endsTurn = false;

  constructor(threadId: string, forms: EventForms) {
    this.#forms = forms;
    this.#source = { threadId, turnId: '', since: 0 };
  }

  add(body: EventBody, stamp: EventStamp): void {
    const values = this.#values;
    const { seq, agentPath } = stamp;
    const from = this.#isAsBefore(stamp) ? this.#length : this.#putStamp(stamp);
    const end = from > 0 && agentPath === undefined ? this.#forms.pack(values, from, body) : 0;
    if (end > 0) this.#length = end;
    else this.#putEvent(stamped(body, stamp));
    this.#nextSeq = seq + 1;
  }

  /** What was added since it was taken last. */
  take(): PackedEvents {
    const values = this.#values.slice(0, this.#length);
    const endsTurn = this.#endsTurn;
    this.#length = 0;
    this.#endsTurn = false;
    const end = { lastSeq: this.#nextSeq - 1, link: this.#link, endsTurn };
    return new PackedEvents(this.#source, values, end);
  }

  #isAsBefore({ turnId, step, at, seq }: EventStamp): boolean {
    if (this.#length === 0 || seq !== this.#nextSeq || at !== this.#at) return false;
    return step === this.#step && turnId === this.#source.turnId;
  }

  /** Gives where it ends; 0, and nothing put, for one of another turn or time than can be said here. */
  #putStamp({ threadId, turnId, step, at, seq }: EventStamp): number {
    let time = turnId === this.#source.turnId ? timeAfter(this.#source.since, at) : undefined;
    const from = this.#length;
    const later = time === undefined || seq !== this.#nextSeq ? undefined : this.#later(step, time);
    if (from === 0) this.#link = later;
    if (time === undefined) {
      if (from > 0) return 0;
      this.#source = { threadId, turnId, since: at };
      time = 0;
    }
    this.#step = step;
    this.#time = time;
    this.#at = at;
    const values = this.#values;
    if (from > 0 && later !== undefined) {
      values[from] = later;
      this.#length = from + 1;
      return this.#length;
    }
    values[from] = STAMP;
    values[from + 1] = seq;
    values[from + 2] = step;
    values[from + 3] = time;
    this.#length = from + STAMP_SIZE;
    return this.#length;
  }

  /** One number for what is in the same step as the event before it, or in the next, and not before it. */
  #later(step: number, time: number): number | undefined {
    const steps = step - this.#step;
    const ms = time - this.#time;
    return (steps === 0 || steps === 1) && ms >= 0 && ms < SMALL / 4
      ? LATER + 2 * ms + steps
      : undefined;
  }

  #putEvent(event: AgentEvent): void {
    this.#values[this.#length] = EVENT;
    this.#values[this.#length + 1] = event;
    this.#length += 2;
    if (event.type === 'turn.finished') this.#endsTurn = true;
  }
}

/** Events of one thread, packed. What is read of them are new objects. */
export class PackedEvents {
  readonly #source: Source;
  readonly #values: readonly unknown[];
  /** Stands for the first stamp, where these come after what the same packer gave before them. */
  readonly #link: number | undefined;
  /** Of the last event; says nothing where there is none. */
  readonly lastSeq: number;
  /** Whether no more of their turn come. */
  readonly endsTurn: boolean;

  constructor(
    source: Source,
    values: readonly unknown[],
    end: {
      readonly lastSeq: number;
      readonly link: number | undefined;
      readonly endsTurn: boolean;
    },
  ) {
    this.#source = source;
    this.#values = values;
    this.#link = end.link;
    this.lastSeq = end.lastSeq;
    this.endsTurn = end.endsTurn;
  }

  /** How many values they take. */
  get size(): number {
    return this.#values.length;
  }

  /** Of the first event; nothing for none. */
  get firstSeq(): number | undefined {
    return this.#values[1] as number | undefined; // every list begins with a stamp
  }

  get events(): readonly AgentEvent[] {
    return unpack(this.#source, this.#values);
  }

  /** Whether these were packed in one run, and in one turn of it. */
  isOfTurn(other: PackedEvents): boolean {
    return this.#source === other.#source;
  }

  /** Those of several commits of one turn, as one; of no commit, none. */
  static joined(commits: readonly PackedEvents[]): PackedEvents {
    let length = 0;
    let before: PackedEvents | undefined;
    for (const commit of commits) {
      length += commit.size - commit.#savedAfter(before);
      before = commit;
    }
    const [first] = commits;
    const last = commits.at(-1);
    if (first === undefined || last === undefined) return NONE;
    // Exactly long enough: what is concatenated takes twice the time, what is pushed has room for more.
    const values = new Array<unknown>(length);
    let end = 0;
    before = undefined;
    for (const commit of commits) {
      end = commit.#copyTo(values, end, before);
      before = commit;
    }
    const { lastSeq, endsTurn } = last;
    return new PackedEvents(first.#source, values, { lastSeq, link: first.#link, endsTurn });
  }

  /** How many values less they take after those. */
  #savedAfter(before: PackedEvents | undefined): number {
    if (this.#link === undefined || before === undefined) return 0;
    if (before.#source !== this.#source || this.firstSeq !== before.lastSeq + 1) return 0;
    return this.#link === LATER ? STAMP_SIZE : STAMP_SIZE - 1;
  }

  /** Gives where they end. */
  #copyTo(values: unknown[], from: number, before: PackedEvents | undefined): number {
    let end = from;
    const saved = this.#savedAfter(before);
    if (saved === STAMP_SIZE - 1) values[end++] = this.#link;
    for (let index = saved === 0 ? 0 : STAMP_SIZE; index < this.#values.length; index += 1)
      values[end++] = this.#values[index];
    return end;
  }
}

const NONE = new PackedEvents({ threadId: '', turnId: '', since: 0 }, [], {
  lastSeq: 0,
  link: undefined,
  endsTurn: true,
});

/** The values are as the packer has put them: their types are known from what is before them. */
function unpack({ threadId, turnId, since }: Source, values: readonly unknown[]): AgentEvent[] {
  const events: AgentEvent[] = [];
  let index = 0;
  const next = (): unknown => values[index++];
  let [seq, step, time] = [0, 0, 0];
  while (index < values.length) {
    const head = next();
    if (head === STAMP) {
      seq = next() as number;
      step = next() as number;
      time = next() as number;
      continue;
    }
    if (typeof head === 'number' && head >= LATER) {
      const later = head - LATER;
      step += later & 1;
      time += later >> 1;
      continue;
    }
    const event =
      head === EVENT
        ? (next() as AgentEvent)
        : stamped(unpackBody(head as EventForm, next), {
            threadId,
            turnId,
            step,
            at: since + time,
            seq,
          });
    events.push(event);
    seq = event.seq + 1;
  }
  return events;
}

/** Small, or undefined for a time which that does not say to the digit. */
function timeAfter(since: number, at: number): number | undefined {
  const time = at - since;
  return time > -SMALL && time < SMALL && (time | 0) === time && since + time === at
    ? time | 0
    : undefined;
}
