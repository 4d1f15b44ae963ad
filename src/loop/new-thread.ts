import type { Writable } from '../internal/writable.ts';
import type { ParentCall, ThreadState } from './state.ts';

/** A thread nobody has run yet. */
export function newThread(
  threadId: string,
  agent: string,
  more: { readonly digestKey: string; readonly parent?: ParentCall | undefined },
): ThreadState {
  const { digestKey, parent } = more;
  // Not spread together: copies of a state then keep its fields beside the object, and every transition makes one.
  const state: Writable<ThreadState> = {
    format: 1,
    threadId,
    agent,
    digestKey,
    turn: 0,
    streak: { count: 0, policy: '', point: '' },
    totals: { steps: 0, usage: { inputTokens: 0, outputTokens: 0 } },
    phase: { name: 'idle' },
  };
  if (parent !== undefined) state.parent = parent;
  return state;
}
