import type { AgentEvent } from '../events/event.ts';
import { EventForms } from '../events/event-forms.ts';
import type { PackedEvents } from '../events/packed-events.ts';
import type { ThreadChanges, ThreadStore } from './port.ts';

const TAKERS = new WeakMap<ThreadStore, EventForms>();

/** Says that the commits of this store may be `PackedChanges`. */
export function takePacked(store: ThreadStore): void {
  TAKERS.set(store, new EventForms());
}

/**
 * What the events of a store are packed with, where its commits may be packed. Not of whoever stands in front of such a
 * store, who may copy what is committed: what is packed is no part of a copy.
 */
export function formsOf(store: ThreadStore): EventForms | undefined {
  return isReplaced(store) ? undefined : TAKERS.get(store);
}

/** Whether an app has put a `commit` of its own in the place of that of the store. It may do so while a run is under way. */
export function isReplaced(store: ThreadStore): boolean {
  return Object.hasOwn(store, 'commit');
}

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
