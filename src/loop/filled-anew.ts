import { jsonEqual } from '../internal/json-equal.ts';
import type { BatchCall, Refusal } from './state.ts';

/** True where somebody has said yes to a call, and what the conversation fills into it is now something else. */
export function isFilledAnew(before: BatchCall, now: BatchCall): boolean {
  return before.granted !== undefined && !jsonEqual(before.locks, now.locks);
}

/** Its answer: nobody has approved it with the values that it would run with. */
export const FILLED_ANEW: Refusal = Object.freeze({
  outcome: 'blocked',
  by: 'agent',
  reason: 'at resume: what the conversation fills into it has changed since it was approved',
});
