import type { AgentEvent } from '../events/event.ts';
import type { PackedEvents } from '../events/packed-events.ts';
import type { ThreadChanges } from './port.ts';

/** Set on a store that takes `PackedChanges`. Whatever stands in front of such a store may read them as any others. */
export const TAKES_PACKED: unique symbol = Symbol('agent-hooks.takes-packed');

/** Changes whose events are packed: for a store in this process, which keeps them so. */
export class PackedChanges implements ThreadChanges {
  readonly state: ThreadChanges['state'];
  readonly messages: ThreadChanges['messages'];
  readonly ledger: ThreadChanges['ledger'];
  readonly approvals: ThreadChanges['approvals'];
  readonly memory: ThreadChanges['memory'];
  readonly artifacts: ThreadChanges['artifacts'];
  readonly packed: PackedEvents;

  constructor(changes: Omit<ThreadChanges, 'events'>, packed: PackedEvents) {
    this.state = changes.state;
    this.messages = changes.messages;
    this.ledger = changes.ledger;
    this.approvals = changes.approvals;
    this.memory = changes.memory;
    this.artifacts = changes.artifacts;
    this.packed = packed;
  }

  get events(): readonly AgentEvent[] {
    return this.packed.events;
  }
}
