import { errorInfo } from '../errors/base.ts';
import { finishLimited } from './begin-step.ts';
import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { spendIfAny } from './spend.ts';
import type { ThreadState } from './state.ts';
import { failed, finish, type Transition } from './transition.ts';

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { readonly type: Type }>;

/** Ends a turn whose model may not be called. */
export function onRefused(
  state: ThreadState,
  event: Of<'call.refused' | 'budget.refused'>,
  rules: Rules,
): Transition | undefined {
  return event.type === 'call.refused'
    ? onCallRefused(state, event, rules)
    : onBudgetRefused(state, event, rules);
}

/** Ends a turn whose changed request was refused. The user's message is stored: the first request had passed. */
function onCallRefused(
  state: ThreadState,
  event: Of<'call.refused'>,
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

/**
 * Ends a turn whose model may not be called, or could not be counted. Where it was the first request that found no room,
 * nothing of the user's message is stored.
 */
function onBudgetRefused(
  state: ThreadState,
  event: Of<'budget.refused'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  const { error, usage } = event;
  const isSummary = phase.name === 'compacting';
  if (!isSummary && phase.name !== 'requesting' && phase.name !== 'calling') return undefined;
  const asked = isSummary ? { asked: rules.summaryModel } : {};
  const paid = spendIfAny(state, phase.turn, { usage, ...asked, rules });
  if (errorInfo(error).code === 'budget-reached') {
    const { budget } = error;
    return finishLimited(paid.state, paid.turn, { limit: 'budget', budget, rules, events: [] });
  }
  const ended = finish(paid.state, paid.turn, { outcome: failed(error), rules, fallback: 'error' });
  return { ...ended, error };
}
