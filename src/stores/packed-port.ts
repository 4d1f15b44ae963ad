import type { AgentEvent } from '../events/event.ts';
import type { PackedEvents } from '../events/packed-events.ts';
import type { ThreadChanges } from './port.ts';

/** Set on a store that takes `PackedChanges`. Whatever stands in front of such a store may read them as any others. */
export const TAKES_PACKED: unique symbol = Symbol('agent-hooks.takes-packed');

/**
 * Changes whose events are packed: for a store in this process, which keeps them so. To everybody else they look like any
 * others, and a copy of them, however it is made, holds the events and nothing that is packed.
 */
export class PackedChanges implements ThreadChanges {
  readonly state: ThreadChanges['state'];
  readonly messages: ThreadChanges['messages'];
  declare readonly events: readonly AgentEvent[];
  readonly ledger: ThreadChanges['ledger'];
  readonly approvals: ThreadChanges['approvals'];
  readonly memory: ThreadChanges['memory'];
  readonly artifacts: ThreadChanges['artifacts'];
  readonly #packed: PackedEvents;

  constructor(changes: Omit<ThreadChanges, 'events'>, packed: PackedEvents) {
    this.state = changes.state;
    this.messages = changes.messages;
    this.ledger = changes.ledger;
    this.approvals = changes.approvals;
    this.memory = changes.memory;
    this.artifacts = changes.artifacts;
    this.#packed = packed;
    // Its own, as only that is in a copy; and bound to what is packed, as a proxy has nothing private.
    Object.defineProperty(this, 'events', { enumerable: true, get: () => packed.events });
  }

  /** What is packed of these very changes; nothing for a copy, which may say something else. */
  static packedOf(changes: ThreadChanges): PackedEvents | undefined {
    return #packed in changes ? changes.#packed : undefined;
  }
}
