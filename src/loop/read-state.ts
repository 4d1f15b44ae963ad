import { CorruptRecordError, StoreVersionError } from '../errors/store-error.ts';
import type { StoredThread } from '../stores/port.ts';
import type { Phase, ThreadState } from './state.ts';

const FORMAT = 1;

/** The phases that a commit can leave a thread in; the others last only as long as their process. */
const STORED_PHASES: ReadonlySet<string> = new Set([
  'requesting',
  'compacting',
  'preparing',
  'awaiting-approval',
  'awaiting-child',
  'awaiting-tools',
  'rejudging',
  'running',
  'finished',
] satisfies Phase['name'][]);

/** Those that hold the calls of a step. Without them nobody can say whom the thread waits for. */
const WITH_CALLS: ReadonlySet<string> = new Set([
  'preparing',
  'awaiting-approval',
  'awaiting-child',
  'awaiting-tools',
  'rejudging',
  'running',
] satisfies Extract<Phase, { readonly batch: unknown }>['name'][]);

/** A stored state is this package's own writing; what is not readable as such names its thread. */
export function readState(threadId: string, stored: StoredThread): ThreadState {
  const { format, phase } = stored.state;
  // First: nothing else can be said of a state whose format is not known, least of all that it is damaged.
  if (typeof format === 'number' && format > FORMAT) {
    throw new StoreVersionError(`thread '${threadId}'`, format, FORMAT);
  }
  if (format !== FORMAT || !isStoredPhase(phase)) {
    throw new CorruptRecordError(
      threadId,
      `thread '${threadId}'`,
      'its state is not one this package wrote',
    );
  }
  // Checked as far as a reader can: every other field was written by `step` under this format.
  return stored.state as unknown as ThreadState;
}

function isStoredPhase(phase: unknown): boolean {
  const name = memberOf(phase, 'name');
  if (typeof name !== 'string' || !STORED_PHASES.has(name)) return false;
  return !WITH_CALLS.has(name) || Array.isArray(memberOf(memberOf(phase, 'batch'), 'calls'));
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
