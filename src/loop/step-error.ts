import type { ErrorVerdict } from '../decisions/fold-errors.ts';
import { type AgentHooksError, errorInfo } from '../errors/base.ts';
import { RecoveryCapError } from '../errors/recovery-cap-error.ts';
import type { EventBody, FallbackCause } from '../events/event.ts';
import { beginNextStep } from './begin-step.ts';
import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import type { Failure, OpenTurn, ThreadState } from './state.ts';
import { goOn } from './step-after-tools.ts';
import { writesOf } from './step-tools.ts';
import { failed, finish, type Transition } from './transition.ts';

type ErrorJudged = Extract<LoopEvent, { readonly type: 'error.judged' }>;
type Of<Kind extends Failure['kind']> = Extract<Failure, { readonly kind: Kind }>;

interface Judged {
  readonly turn: OpenTurn;
  readonly event: ErrorJudged;
  readonly rules: Rules;
}

/** The policies have said what becomes of an error: the turn goes on, or ends as they chose or as it had to. */
export function onErrorJudged(
  state: ThreadState,
  event: ErrorJudged,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'failing') return undefined;
  const { turn, failure } = phase;
  const judged = { turn, event, rules };
  switch (failure.kind) {
    case 'model':
      return afterModelError(state, failure, judged);
    case 'tools':
      return afterToolErrors(state, failure, judged);
    case 'told':
      return finish(state, turn, { ...failure.ending, rules, known: true });
  }
}

function afterModelError(state: ThreadState, failure: Of<'model'>, judged: Judged): Transition {
  const { turn, event, rules } = judged;
  const { verdict, error } = event;
  if (verdict.type === 'recover') return recover(state, failure, { ...judged, by: verdict.policy });
  const shown = shownFor(verdict);
  return finish(state, turn, { outcome: failed(error), rules, known: true, ...shown });
}

/** Asks the model once more, unless that has been done too often in a row (L9). Spends a step. */
function recover(
  state: ThreadState,
  { note }: Of<'model'>,
  { turn, event, rules, by }: Judged & { readonly by: string },
): Transition {
  const { error: cause, tick } = event;
  const { recoveries = 0 } = state;
  if (recoveries >= rules.maxRecoveries) {
    const error = new RecoveryCapError({ policy: by, recoveries }, { cause });
    const ending = { outcome: failed(error), rules, fallback: 'error' } as const;
    return { ...finish(state, turn, ending), error };
  }
  const recovering: ThreadState = { ...state, recoveries: recoveries + 1 };
  return beginNextStep(recovering, turn, {
    tick,
    rules,
    events: [raisedEvent(cause, recoveries + 1)],
    unanswered: true,
    ...(note !== undefined && { note }),
  });
}

/** Every call keeps its result, whatever the policies say (L4); none is ever run again. */
function afterToolErrors(
  state: ThreadState,
  { batch, finished, said }: Of<'tools'>,
  { turn, event, rules }: Judged,
): Transition {
  const { verdict, error, tick } = event;
  const writes = writesOf(batch, finished);
  if (verdict.type === 'recover' || verdict.type === 'no-opinion')
    return goOn(state, turn, { ...writes, finished, said, tick, rules });
  const shown = shownFor(verdict);
  const outcome = failed(error);
  return { ...finish(state, turn, { ...writes, outcome, rules, known: true, ...shown }), error };
}

function shownFor(verdict: ErrorVerdict): {
  readonly fallback?: FallbackCause;
  readonly text?: string;
} {
  if (verdict.type === 'silent') return {};
  return { fallback: 'error', ...(verdict.type === 'fallback' && { text: verdict.text }) };
}

/** An error that ended nothing would otherwise be in no record. */
function raisedEvent(error: AgentHooksError, recoveries: number): EventBody {
  const { code, name } = errorInfo(error);
  return { type: 'error.raised', code, name, details: { recoveries } };
}
