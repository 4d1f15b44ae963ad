import { givenUp } from './await-host.ts';
import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import type { NextTurn, Phase, ThreadState } from './state.ts';
import { withOutput } from './step-answer.ts';
import { writesOf } from './step-tools.ts';
import { closingEvents, commitThen, enter, finish, type Transition } from './transition.ts';

/**
 * The host has run every call that was handed to it. Nothing is stored before the policies have seen the results: until
 * then the host can submit them again.
 */
export function onToolsSubmitted(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'tools.submitted' }>,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'awaiting-tools') return undefined;
  const { batch, finished, children } = phase;
  const turn = { ...withOutput(phase.turn, event.output), activeSince: event.tick };
  return enter(state, {
    name: 'running',
    turn,
    batch,
    recovering: false,
    finished,
    submitted: event.results,
    ...(children !== undefined && { children }),
  });
}

/** Ends a turn that waits for its host; every call that is open has its result all the same (L4). */
export function endAwaiting(
  state: ThreadState,
  phase: Extract<Phase, { readonly name: 'awaiting-tools' }>,
  { rules, next }: { readonly rules: Rules; readonly next?: NextTurn },
): Transition {
  const { turn, batch, finished, handed } = phase;
  const writes = writesOf(batch, [...finished, ...givenUp(batch, handed)]);
  const outcome = { status: 'cancelled' } as const;
  if (next === undefined) return finish(state, turn, { ...writes, outcome, rules });
  return commitThen(
    state,
    { name: 'waiting', turn, next },
    {
      ...writes,
      turn,
      events: [...writes.events, ...closingEvents(turn, outcome, false)],
      checkpoint: { name: 'finished', turn, outcome },
    },
  );
}
