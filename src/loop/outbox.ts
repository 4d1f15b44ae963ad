import type { AgentEvent, EventBody, EventStamp } from '../events/event.ts';
import { type EventPacker, PackedEvents } from '../events/packed-events.ts';
import { stamped } from '../events/stamp.ts';

/** The events that one commit stores: packed for a store that keeps them so. */
export type Outgoing = PackedEvents | readonly AgentEvent[];

/** The events that are recorded and not stored yet. */
export class Outbox {
  #packer: EventPacker | undefined;
  #events: AgentEvent[] = [];

  constructor(packer: EventPacker | undefined) {
    this.#packer = packer;
  }

  add(body: EventBody, stamp: EventStamp): void {
    if (this.#packer === undefined) this.#events.push(stamped(body, stamp));
    else this.#packer.add(body, stamp);
  }

  take(): Outgoing {
    if (this.#packer !== undefined) return this.#packer.take();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Before what was added since it was taken. A commit that failed is rare: from here on nothing is packed. */
  putBack(outgoing: Outgoing): void {
    const since = this.take();
    this.#packer = undefined;
    this.#events = [...eventsOf(outgoing), ...eventsOf(since)];
  }
}

/** As objects; what was packed is unpacked anew each time. */
export function eventsOf(outgoing: Outgoing): readonly AgentEvent[] {
  return outgoing instanceof PackedEvents ? outgoing.events : outgoing;
}
