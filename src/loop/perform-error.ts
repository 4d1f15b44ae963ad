import { type ErrorVerdict, isStricter } from '../decisions/fold-errors.ts';
import type { AgentHooksError, ErrorInfo } from '../errors/base.ts';
import { RecordedError } from '../errors/interrupted.ts';
import { ToolCallError } from '../errors/tool-error.ts';
import type { AskedCall, HookCancelled } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { failureText } from '../protocol/tool-answer.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { momentOf } from './moment-of.ts';
import type { Session } from './session.ts';
import type { Failure } from './state.ts';

type Of<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

/** One error, and the call it is of. */
interface Asked {
  readonly error: AgentHooksError;
  readonly call?: AskedCall;
}

/**
 * Asks about the error of a model call, about each failed call of a batch, in their order, or about one that ends
 * the turn in any case. Waits for the policies, so that what they record is part of the commit that follows.
 */
export function judgeError(effect: Of<'judge-error'>, session: Session): MaybePromise<LoopEvent> {
  return new ErrorJudge(effect, session).judgeFrom(0);
}

/** Tells of an error when nobody is to be waited for. */
export function tellError(
  { turn, error, purpose }: Of<'tell-error'>,
  session: Session,
): MaybePromise<undefined> {
  const gate = session.gateFor(turn.turnId);
  if (!gate.has('onError')) return undefined;
  const telling = gate.tellError(liveError(error, session), momentOf(turn, 1, purpose));
  return isThenable(telling) ? telling.then(nothing) : undefined;
}

function nothing(): undefined {
  return undefined;
}

class ErrorJudge {
  readonly #effect: Of<'judge-error'>;
  readonly #session: Session;
  readonly #errors: readonly Asked[];
  #strictest: { readonly error: AgentHooksError; readonly verdict: ErrorVerdict } | undefined;

  constructor(effect: Of<'judge-error'>, session: Session) {
    this.#effect = effect;
    this.#session = session;
    this.#errors = errorsOf(effect.failure, session);
  }

  judgeFrom(first: number): MaybePromise<LoopEvent> {
    const { turn, failure } = this.#effect;
    const gate = this.#session.gateFor(turn.turnId);
    const moment = momentOf(turn, failure.kind === 'model' ? failure.attempt : 1);
    for (let index = first; index < this.#errors.length; index += 1) {
      const asked = this.#errors[index] as Asked; // the loop stays below the length
      const { error, call } = asked;
      const judging = gate.has('onError') ? gate.error(error, moment, call) : NO_OPINION;
      if (isThenable(judging))
        return judging.then((verdict) => this.#take(asked, verdict) ?? this.judgeFrom(index + 1));
      const end = this.#take(asked, judging);
      if (end !== undefined) return end;
    }
    return this.#judged();
  }

  #take({ error }: Asked, verdict: ErrorVerdict | HookCancelled): LoopEvent | undefined {
    if (verdict.type === 'cancelled') return CANCELLED;
    if (this.#strictest === undefined || isStricter(verdict, this.#strictest.verdict))
      this.#strictest = { error, verdict };
    return undefined;
  }

  #judged(): LoopEvent {
    if (this.#strictest === undefined) throw new TypeError('there was no error to ask about');
    return { type: 'error.judged', ...this.#strictest, tick: this.#session.tick };
  }
}

const NO_OPINION: ErrorVerdict = Object.freeze({ type: 'no-opinion' });
const CANCELLED: LoopEvent = Object.freeze({ type: 'turn.cancelled' });

function errorsOf(failure: Failure, session: Session): readonly Asked[] {
  if (failure.kind !== 'tools') return [{ error: liveError(failure.error, session) }];
  return failure.finished.flatMap(({ callId, result }): Asked[] => {
    if (result.outcome !== 'failed') return [];
    const toolName = failure.batch.calls.find((call) => call.callId === callId)?.toolName ?? '';
    const call = { callId, toolName };
    const forModel = failureText(result.output);
    const known = session.failureOf(callId);
    const cause = known !== undefined && 'error' in known ? { cause: known.error } : undefined;
    return [{ error: new ToolCallError({ ...call, forModel }, cause), call }];
  });
}

/** The error as this process knows it; what a state tells of it is left where it happened elsewhere. */
function liveError(info: ErrorInfo, { error }: Session): AgentHooksError {
  return error?.code === info.code ? error : new RecordedError(info);
}
