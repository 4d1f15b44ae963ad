import { ThreadConflictError } from '../errors/store-error.ts';
import type { AgentEvent } from '../events/event.ts';
import { PackedEvents } from '../events/packed-events.ts';

/** Events of one commit. */
export type NewEvents = PackedEvents | readonly AgentEvent[];

/**
 * From how many values on commits of a turn that goes on become one part; those of one that ends do in any case. To read
 * one event, all of a part are unpacked.
 */
const ENOUGH = 96;

/** The events of one thread; packed where they came so. */
export class EventLog {
  readonly #parts: NewEvents[] = [];
  /** How many parts stay as they are. Those after them are packed, of one turn, and few: together they become one. */
  #settled = 0;
  /** How many values those have. */
  #loose = 0;

  /** 0 for none. */
  get lastSeq(): number {
    const last = this.#parts.at(-1);
    return last === undefined ? 0 : lastSeqOf(last);
  }

  add(events: NewEvents): void {
    if (firstSeqOf(events) === undefined) return;
    const parts = this.#parts;
    const isPacked = events instanceof PackedEvents;
    const last = this.#loose > 0 ? parts.at(-1) : undefined;
    if (last instanceof PackedEvents && !(isPacked && events.isOfTurn(last))) this.#settle();
    parts.push(events);
    if (isPacked) this.#loose += events.size;
    else this.#settled = parts.length;
    if (this.#loose >= ENOUGH || (isPacked && events.endsTurn)) this.#settle();
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

  #settle(): void {
    const parts = this.#parts;
    // Only packed ones are pushed while some are loose.
    const loose = parts.splice(this.#settled) as PackedEvents[];
    parts.push(PackedEvents.joined(loose));
    this.#settled = parts.length;
    this.#loose = 0;
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
export function checkNew(threadId: string, lastSeq: number, events: NewEvents): void {
  let last = lastSeq;
  // What was packed was counted.
  const seqs = events instanceof PackedEvents ? [events.firstSeq] : events.map(({ seq }) => seq);
  for (const seq of seqs) {
    if (seq === undefined) return;
    if (!(seq > last)) throw new ThreadConflictError(threadId, 'an event number is not new');
    last = seq;
  }
}

function firstSeqOf(part: NewEvents): number | undefined {
  return isList(part) ? part[0]?.seq : part.firstSeq;
}

function lastSeqOf(part: NewEvents): number {
  return (isList(part) ? part.at(-1)?.seq : part.lastSeq) ?? 0;
}

function eventsOf(part: NewEvents): readonly AgentEvent[] {
  return isList(part) ? part : part.events;
}

function isList(part: NewEvents): part is readonly AgentEvent[] {
  return Array.isArray(part);
}
