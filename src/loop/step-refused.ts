import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { spendIfAny } from './spend.ts';
import type { ThreadState } from './state.ts';
import { finish, type Transition } from './transition.ts';

/** Ends a turn whose changed request was refused. The user's message is stored: the first request had passed. */
export function onCallRefused(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'call.refused' }>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'calling') return undefined;
  const { policy: by, reason } = event.verdict;
  const paid = spendIfAny(state, phase.turn, { usage: event.usage, rules });
  return finish(paid.state, paid.turn, {
    outcome: { status: 'blocked', by, point: 'preLlmRequest', reason, text: '' },
    rules,
    fallback: 'request',
  });
}
