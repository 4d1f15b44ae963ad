import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import type { Phase, ThreadState } from './state.ts';
import { openTurn } from './step-turn.ts';
import { closingEvents, enter, failed, type Transition } from './transition.ts';

/** What was waiting for the commit goes on: the next phase and its effect, or the turn that waits. */
export function onCommitted(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'committed' }>,
  rules: Rules,
): Transition | undefined {
  if (state.phase.name !== 'committing') return undefined;
  const { next } = state.phase;
  if (next.name === 'waiting') return openTurn(state, next.next, event.messageCount);
  if (next.name === 'requesting' && rules.singleStep)
    return { state: { ...state, phase: next }, effects: [] };
  return enter(state, next);
}

/** Nothing was written. The run ends here; what the store holds can be picked up later. */
export function onCommitFailed(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'commit.failed' }>,
): Transition | undefined {
  if (state.phase.name !== 'committing') return undefined;
  const { turn } = state.phase;
  const outcome = failed(event.error);
  const phase: Phase = { name: 'finished', turn, outcome };
  const { endedBy: _notStored, ...open } = turn;
  const events = closingEvents(open, outcome, false);
  return {
    state: { ...state, phase },
    effects: [{ type: 'publish', turnId: turn.turnId, step: turn.step, events }],
  };
}
