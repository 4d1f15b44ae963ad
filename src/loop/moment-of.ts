import type { Moment } from '../hooks/gate.ts';
import type { Purpose } from '../protocol/texts.ts';
import type { OpenTurn } from './state.ts';

/** Where in a turn a policy is asked. */
export function momentOf(turn: OpenTurn, attempt: number, purpose: Purpose = 'main'): Moment {
  return { step: turn.step, attempt, purpose };
}
