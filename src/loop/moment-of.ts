import type { Moment } from '../hooks/gate.ts';
import type { OpenTurn } from './state.ts';

/** Where in a turn a policy is asked. */
export function momentOf(turn: OpenTurn, attempt: number): Moment {
  return { step: turn.step, attempt, purpose: 'main' };
}
