import { type AgentHooksError, errorInfo } from '../errors/base.ts';
import { CompactionError } from '../errors/compaction-error.ts';
import { TurnInterruptedError } from '../errors/interrupted.ts';
import type { EventBody } from '../events/event.ts';
import { beginNextStep, finishLimited, spentLimit } from './begin-step.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { respondedEvent } from './responded-event.ts';
import type { Rules } from './rules.ts';
import { spend, spendIfAny } from './spend.ts';
import type { OpenTurn, Phase, ThreadState } from './state.ts';
import { commitThen, enter, failed, finish, type Transition } from './transition.ts';

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { readonly type: Type }>;
type Compacting = Extract<Phase, { readonly name: 'compacting' }>;

const ASKING = Object.freeze({ name: 'asking' } as const);

/** The step waits: nothing of it has been sent, and the main call it may have been about to make has not begun. */
export function onContextFull(
  state: ThreadState,
  event: Of<'context.full'>,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'requesting') return undefined;
  const { turn, candidate, note } = phase;
  const main = {
    attempt: phase.attempt - (phase.armed ? 1 : 0),
    ...(candidate !== undefined && { candidate }),
    ...(note !== undefined && { note }),
  };
  const { cause } = event;
  return enter(state, { name: 'compacting', turn, cause, attempt: 0, stage: ASKING, main });
}

/** No policy had a summary, and the request for one has passed: the store learns of the call before it starts (L8). */
export function onSummaryRequested(
  state: ThreadState,
  event: Of<'summary.requested'>,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'compacting' || phase.stage.name !== 'asking') return undefined;
  const { cut, request, model } = event;
  const attempt = phase.attempt + 1;
  const requested: EventBody = { type: 'llm.requested', model, purpose: 'compaction', attempt };
  const stage = { name: 'calling', cut, ...(request !== undefined && { request }) } as const;
  const { candidate, ...main } = phase.main;
  const isLost = candidate !== undefined && { isLost: true as const };
  return commitThen(
    state,
    { ...phase, attempt, stage },
    {
      turn: phase.turn,
      events: [requested],
      // A message that no request has passed with is not stored, here neither.
      checkpoint: { ...phase, attempt, main, ...isLost },
    },
  );
}

/** Whatever becomes of the summary, it is paid for. */
export function onSummaryResponded(
  state: ThreadState,
  { response }: Of<'summary.responded'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'compacting' || phase.stage.name !== 'calling') return undefined;
  const { usage, model } = response;
  const paid = spend(state, phase.turn, { usage, model, asked: rules.summaryModel, rules });
  const stage = { name: 'judging', cut: phase.stage.cut, response } as const;
  return enter(paid.state, { ...phase, turn: paid.turn, stage }, [
    respondedEvent(response, { cost: paid.cost, purpose: 'compaction' }),
  ]);
}

/** The summary counts from here on, and is stored with whatever is committed next (L10). */
export function onSummaryGiven(
  state: ThreadState,
  event: Of<'summary.given'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'compacting') return undefined;
  const { summary, messagesBefore, messagesAfter, by, tick } = event;
  // Both were of the context as it was.
  const { historyDigest: _before, measured: _then, ...rest } = state;
  const compacted: EventBody = {
    type: 'context.compacted',
    messagesBefore,
    messagesAfter,
    ...(by !== undefined && { by }),
    cause: phase.cause,
  };
  const adopted: Effect = { type: 'adopt-summary', summary };
  const events = [compacted];
  const { isPart } = event;
  const next = goOn({ ...rest, summary }, phase, { events, tick, rules, isPart });
  return { ...next, effects: [adopted, ...next.effects] };
}

/** The context stays as it was. Over the budget that is told of, and the step goes on; a provider will not have it. */
export function onSummaryFailed(
  state: ThreadState,
  event: Of<'summary.failed'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'compacting') return undefined;
  const { error, usage, tick } = event;
  const paid = spendIfAny(state, phase.turn, { usage, asked: rules.summaryModel, rules });
  return failCompaction(paid.state, { ...phase, turn: paid.turn }, { error, tick, rules });
}

/** Picks up a compaction that an ended process left. */
export function resumeCompaction(
  state: ThreadState,
  phase: Compacting,
  at: { readonly tick: number; readonly rules: Rules },
): Transition {
  const { turn } = phase;
  const { rules } = at;
  if (phase.isLost === true) {
    const error = new TurnInterruptedError(turn.turnId, true);
    const ended = finish(state, turn, { outcome: failed(error), rules, fallback: 'error' });
    return { ...ended, error };
  }
  if (phase.attempt < rules.maxAttempts) return enter(state, phase);
  const error = new CompactionError({ threadId: state.threadId, problem: 'attempts-exhausted' });
  return failCompaction(state, phase, { ...at, error });
}

/** Whether a call that failed like this is made again with a shorter context. */
export function mayCompact(state: ThreadState, error: AgentHooksError, rules: Rules): boolean {
  return (
    rules.summaryModel !== undefined &&
    errorInfo(error).code === 'context-overflow' &&
    (state.overflows ?? 0) < rules.maxOverflows
  );
}

/** The step is over, and the next one begins with a compaction. What it cost may have reached a limit. */
export function afterOverflow(
  state: ThreadState,
  turn: OpenTurn,
  about: {
    readonly error: AgentHooksError;
    readonly tick: number;
    readonly rules: Rules;
    readonly note?: string;
  },
): Transition {
  const { error, ...start } = about;
  const overflows = (state.overflows ?? 0) + 1;
  return beginNextStep({ ...state, overflows }, turn, {
    ...start,
    events: [raisedEvent(error, { overflows })],
    unanswered: true,
    overflowed: true,
  });
}

function failCompaction(
  state: ThreadState,
  phase: Compacting,
  {
    error,
    tick,
    rules,
  }: { readonly error: CompactionError; readonly tick: number; readonly rules: Rules },
): Transition {
  const { turn } = phase;
  if (phase.cause === 'overflow') {
    const ended = finish(state, turn, { outcome: failed(error), rules, fallback: 'error' });
    return { ...ended, error };
  }
  const uncompacted: OpenTurn = { ...turn, uncompacted: true };
  const events = [raisedEvent(error, { problem: error.problem })];
  const next = goOn(state, { ...phase, turn: uncompacted }, { events, tick, rules });
  const told: Effect = {
    type: 'tell-error',
    turn: uncompacted,
    error: errorInfo(error),
    purpose: 'compaction',
  };
  return { ...next, effects: [told, ...next.effects], error };
}

/** Back to the step, unless what was spent has reached a limit. */
function goOn(
  state: ThreadState,
  { turn, main, cause }: Compacting,
  at: {
    readonly events: readonly EventBody[];
    readonly tick: number;
    readonly rules: Rules;
    /** The context is looked at again, as there is more to cut. */
    readonly isPart?: true | undefined;
  },
): Transition {
  const limit = spentLimit(state, turn, at);
  if (limit !== undefined) return finishLimited(state, turn, { ...at, limit });
  const again = cause === 'overflow' ? { overflowed: true as const } : {};
  const look = at.isPart === true ? again : { compacted: true as const };
  return enter(state, { name: 'requesting', turn, armed: false, ...main, ...look }, at.events);
}

function raisedEvent(
  error: AgentHooksError,
  details: { readonly [fact: string]: string | number },
): EventBody {
  const { code, name } = errorInfo(error);
  return { type: 'error.raised', code, name, details };
}
