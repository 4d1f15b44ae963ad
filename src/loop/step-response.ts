import { joinFeedback, type NamedFeedback } from '../decisions/fold.ts';
import { type AgentHooksError, errorInfo } from '../errors/base.ts';
import { HookError, ResponseRetryCapError } from '../errors/hook-error.ts';
import { OutputError } from '../errors/output-error.ts';
import type { EventBody } from '../events/event.ts';
import { withLast } from '../internal/join-lists.ts';
import type { Writable } from '../internal/writable.ts';
import type { Usage } from '../protocol/chat.ts';
import { textOf } from '../protocol/read-content.ts';
import { beginNextStep } from './begin-step.ts';
import type { LoopEvent, ResponsePoint, TextVerdict } from './event.ts';
import { respondedEvent } from './responded-event.ts';
import type { Rules } from './rules.ts';
import { runsTools } from './runs-tools.ts';
import { spend, spendIfAny } from './spend.ts';
import type { Failure, OpenTurn, Phase, ThreadState } from './state.ts';
import { problemIn } from './step-answer.ts';
import { afterOverflow, mayCompact } from './step-compact.ts';
import type { LateCalls } from './tell-late.ts';
import { commitThen, enter, enterOwn, failed, finish, type Transition } from './transition.ts';

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { readonly type: Type }>;
type In<Name extends Phase['name']> = Extract<Phase, { readonly name: Name }>;

/** The request has passed: what is not stored yet is, together with the intent to call, before the call (L8). */
export function onRequestJudged(
  before: ThreadState,
  event: Of<'request.judged'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = before;
  if (phase.name !== 'requesting') return undefined;
  const { verdict } = event;
  const { turn, candidate } = phase;
  if (verdict.type === 'failed') {
    return finish(before, turn, {
      outcome: failed(verdict.error),
      rules,
      fallback: 'hook-failure',
    });
  }
  if (verdict.type === 'block') {
    return finish(before, turn, {
      outcome: {
        status: 'blocked',
        by: verdict.policy,
        point: 'preLlmRequest',
        reason: verdict.reason,
        text: '',
      },
      rules,
      fallback: 'request',
    });
  }
  if (verdict.type !== 'pass') return undefined;
  const { state, ended } = withLate(before, event.late);
  const attempt = phase.attempt + (phase.armed ? 0 : 1);
  const { note } = phase;
  const calling: Writable<In<'calling'>> = { name: 'calling', turn, attempt };
  if (verdict.modified) calling.request = verdict.value;
  if (note !== undefined) calling.note = note;
  const { model } = event;
  const told = withLast(ended, { type: 'llm.requested', model, purpose: 'main', attempt });
  if (phase.armed && !rules.announcesCalls) return enter(state, calling, told);
  return commitThen(state, calling, {
    turn,
    messages: candidate === undefined ? [] : [candidate],
    events:
      candidate === undefined ? told : [{ type: 'message.user', text: textOf(candidate) }, ...told],
    checkpoint: {
      name: 'requesting',
      turn,
      attempt,
      armed: true,
      ...(note !== undefined && { note }),
    },
  });
}

/** What the request tells of calls that went on is told once it may be sent, and not before. */
function withLate(
  state: ThreadState,
  late: LateCalls | undefined,
): { readonly state: ThreadState; readonly ended: readonly EventBody[] } {
  if (late === undefined) return { state, ended: [] };
  const { background: _before, ...rest } = state;
  const { background, events: ended } = late;
  return { state: background.length === 0 ? rest : { ...rest, background }, ended };
}

/** Whatever becomes of the response, it is paid for. */
export function onModelResponded(
  state: ThreadState,
  event: Of<'model.responded'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'calling') return undefined;
  const { response } = event;
  const { usage, model } = response;
  const paid = spend(state, phase.turn, { usage, model, rules });
  const responded = respondedEvent(response, { cost: paid.cost });
  if (response.finishReason === 'content-filter') {
    return finish(paid.state, paid.turn, {
      outcome: { status: 'refused', text: '' },
      events: [responded],
      rules,
      fallback: 'response',
    });
  }
  const { measured } = event;
  if (measured !== undefined) paid.state.measured = measured;
  return enterOwn(
    paid.state,
    { name: 'answering', turn: paid.turn, attempt: phase.attempt, response },
    [responded],
  );
}

export function onModelFailed(
  state: ThreadState,
  event: Of<'model.failed'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'calling') return undefined;
  const { attempt, note } = phase;
  const { error } = event;
  const paid = spendIfAny(state, phase.turn, { usage: event.usage, rules });
  if (event.refused) {
    const outcome = { status: 'refused', text: '' } as const;
    return finish(paid.state, paid.turn, { outcome, rules, fallback: 'response' });
  }
  // A failure of a policy around the call is not for others to forgive.
  if (HookError.isInstance(error)) {
    const outcome = failed(error);
    return finish(paid.state, paid.turn, { outcome, rules, fallback: 'hook-failure' });
  }
  const kept = note !== undefined && { note };
  if (mayCompact(paid.state, error, rules))
    return afterOverflow(paid.state, paid.turn, { error, tick: event.tick, rules, ...kept });
  const failure: Failure = { kind: 'model', attempt, error: errorInfo(error), ...kept };
  return enter(paid.state, { name: 'failing', turn: paid.turn, failure });
}

export function onResponseJudged(
  state: ThreadState,
  event: Of<'response.judged'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'answering') return undefined;
  const { turn } = phase;
  const { verdict } = event;
  switch (verdict.type) {
    case 'failed':
    case 'block':
      return dropResponse(state, turn, { verdict, point: event.point, rules });
    case 'retry-with-feedback': {
      const { usage } = phase.response;
      const { feedback } = verdict;
      const { point, tick } = event;
      if (point === 'output')
        return rejectAnswer(state, turn, { problem: problemIn(verdict), usage, tick, rules });
      return rejectResponse(state, turn, { feedback, point, usage, tick, rules });
    }
    case 'cancelled':
      return undefined;
    case 'pass': {
      const response = verdict.value;
      if (runsTools(response))
        return enter(state, { name: 'preflighting', turn, attempt: phase.attempt, response });
      // One that has to fit a schema is accepted with what becomes of its text.
      const accepted = turn.output === undefined ? resetStreak(state) : state;
      return enter(accepted, { name: 'speaking', turn, speech: { kind: 'final', response } });
    }
  }
}

/** Ends a turn whose answer was stopped before it was whole. */
export function onTextStopped(
  state: ThreadState,
  event: Of<'text.stopped'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'calling') return undefined;
  const { verdict, usage } = event;
  const paid = spendIfAny(state, phase.turn, { usage, rules });
  return dropResponse(paid.state, paid.turn, { verdict, point: 'onTextWindow', rules });
}

export function dropResponse(
  state: ThreadState,
  turn: OpenTurn,
  {
    verdict,
    point,
    rules,
  }: { readonly verdict: TextVerdict; readonly point: ResponsePoint; readonly rules: Rules },
): Transition {
  if (verdict.type === 'failed') {
    return finish(state, turn, { outcome: failed(verdict.error), rules, fallback: 'hook-failure' });
  }
  const { policy: by, reason } = verdict;
  return finish(state, turn, {
    outcome: { status: 'blocked', by, point, reason, text: '' },
    rules,
    fallback: 'response',
  });
}

/** Drops the response and asks again, unless that has happened too often in a row (L5, L7). */
export function rejectResponse(
  state: ThreadState,
  turn: OpenTurn,
  rejection: {
    readonly feedback: readonly NamedFeedback[];
    readonly point: string;
    readonly usage: Usage;
    readonly tick: number;
    readonly rules: Rules;
    /** Set when this is one rejection of its kind too many. */
    readonly exhausted?: AgentHooksError;
  },
): Transition {
  const { feedback, point, rules } = rejection;
  const by = [...new Set(feedback.map((entry) => entry.policy))].join(', ');
  const streak = { count: state.streak.count + 1, policy: by, point };
  const rejected: ThreadState = { ...state, streak };
  const events: EventBody[] = [
    { type: 'llm.rejected', by, point, streak: streak.count, usage: rejection.usage },
  ];
  const { count } = streak;
  const max = rules.maxResponseRetries;
  const error =
    count >= max
      ? new ResponseRetryCapError({ policy: by, point, streak: count, max })
      : rejection.exhausted;
  if (error !== undefined) {
    const ended = finish(rejected, turn, {
      outcome: failed(error),
      events,
      rules,
      fallback: 'error',
      rejected: true,
    });
    return { ...ended, error };
  }
  return beginNextStep(rejected, turn, {
    tick: rejection.tick,
    rules,
    events,
    note: joinFeedback(feedback),
    rejected: true,
  });
}

/**
 * Drops an answer that does not fit its schema and asks for another: a rejection like any other, which is also counted
 * in the turn. The `problem` names fields and quotes no value.
 */
export function rejectAnswer(
  state: ThreadState,
  turn: OpenTurn,
  misfit: {
    readonly problem: string;
    readonly usage: Usage;
    readonly tick: number;
    readonly rules: Rules;
  },
): Transition {
  const { turnId, step, output } = turn;
  if (output === undefined) throw new TypeError('an answer was held against a schema nobody set');
  const { problem, ...rest } = misfit;
  const misfits = (output.misfits ?? 0) + 1;
  const isLast = misfits > misfit.rules.outputRetries;
  return rejectResponse(
    state,
    { ...turn, output: { ...output, misfits } },
    {
      ...rest,
      feedback: [{ policy: 'agent', feedback: `${AGAIN}: ${problem}` }],
      point: 'output',
      ...(isLast && { exhausted: new OutputError({ turnId, step, answers: misfits, problem }) }),
    },
  );
}

const AGAIN = 'Give the final answer again, in the form that was asked for';

/**
 * The response was accepted and its batch, if any, survived: the streak is over (L5), and so are recoveries (L9) and
 * requests that were too long.
 */
export function resetStreak(state: ThreadState): ThreadState {
  const { count } = state.streak;
  if (count === 0 && state.recoveries === undefined && state.overflows === undefined) return state;
  const { recoveries: _recovered, overflows: _shortened, ...rest } = state;
  return { ...rest, streak: { count: 0, policy: '', point: '' } };
}
