import type { EventBody } from '../events/event.ts';
import { beginNextStep } from './begin-step.ts';
import type { Rules } from './rules.ts';
import type { BatchCall, FinishedCall, OpenTurn, ThreadState } from './state.ts';
import { finish, type Transition, type Writes } from './transition.ts';

/** The turn as it is once these calls are over: one of them may have ended the conversation. */
export function withEnd(
  turn: OpenTurn,
  finished: readonly FinishedCall[],
  calls: readonly BatchCall[],
): OpenTurn {
  const ended = finished.find(({ after }) => after?.ends !== undefined);
  if (ended === undefined || turn.endedBy !== undefined) return turn;
  const { toolName = '' } = calls.find(({ callId }) => callId === ended.callId) ?? {};
  return { ...turn, endedBy: toolName };
}

/**
 * How a turn goes on whose batch is over: the model is asked what is next, unless a call has ended the conversation.
 * An answer that has to fit a schema only the model can give, so there the turn ends with that.
 */
export function goOn(
  state: ThreadState,
  turn: OpenTurn,
  batch: Writes & {
    readonly finished: readonly FinishedCall[];
    readonly events: readonly EventBody[];
    readonly tick: number;
    readonly rules: Rules;
  },
): Transition {
  const { finished, ...next } = batch;
  if (turn.endedBy === undefined || turn.output !== undefined)
    return beginNextStep(state, turn, next);
  const text = finished.find(({ after }) => after?.ends !== undefined)?.after?.ends?.text ?? '';
  const outcome = { status: 'completed', text, finishReason: 'tool-calls' } as const;
  return finish(state, turn, { ...next, outcome });
}
