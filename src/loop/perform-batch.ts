import type { ToolVerdict } from '../decisions/fold.ts';
import type { HookFailed, ToolChainVerdict } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolCall } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolInvocation } from '../protocol/tool.ts';
import type { ToolPort } from '../tools/port.ts';
import { checkCall } from './check-call.ts';
import type { Effect } from './effect.ts';
import type { JudgedCall, LoopEvent } from './event.ts';
import { momentOf } from './perform-judge.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn } from './state.ts';

type Of<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

const NO_OPINION: ToolVerdict = Object.freeze({ type: 'no-opinion' });

/** Judges every call, in order, before anything is chosen; only a failed policy ends the judging early. */
export function judgeBatch(effect: Of<'judge-batch'>, session: Session): MaybePromise<LoopEvent> {
  const { turn, attempt, response } = effect;
  const isCut = response.finishReason === 'length';
  const calls = response.toolCalls.map((call) => readCall(call, isCut, session));
  return judgeAll(calls, session, { turn, attempt });
}

/** Asks again about what will run after the approvals, with the answer in hand. Settled calls are left alone. */
export function rejudgeBatch(
  effect: Of<'rejudge-batch'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn, batch } = effect;
  return judgeAll(batch.calls, session, { turn, attempt: 1 });
}

interface Place {
  readonly turn: OpenTurn;
  readonly attempt: number;
}

/** Goes on without a promise for as long as the answers come at once. */
function judgeAll(
  calls: readonly BatchCall[],
  session: Session,
  place: Place,
): MaybePromise<LoopEvent> {
  return new BatchJudge(calls, session, place).judgeFrom(0);
}

class BatchJudge {
  readonly #calls: readonly BatchCall[];
  readonly #session: Session;
  readonly #place: Place;
  readonly #judged: JudgedCall[] = [];
  #failure: HookFailed | undefined;

  constructor(calls: readonly BatchCall[], session: Session, place: Place) {
    this.#calls = calls;
    this.#session = session;
    this.#place = place;
  }

  judgeFrom(first: number): MaybePromise<LoopEvent> {
    for (let index = first; index < this.#calls.length; index += 1) {
      const judging = this.#judgeAt(index);
      if (isThenable(judging)) {
        return judging.then((late) => (this.#take(late) ? this.judgeFrom(index + 1) : CANCELLED));
      }
      if (!this.#take(judging)) return CANCELLED;
    }
    return this.#chosen();
  }

  #judgeAt(index: number): MaybePromise<Answer> {
    const call = this.#calls[index] as BatchCall; // the loop above stays below the length
    if (this.#failure !== undefined) return { call };
    const checking = checkCall(call, this.#session);
    return isThenable(checking)
      ? checking.then((checked) =>
          checked === 'cancelled' ? { call, verdict: checked } : this.#ask(checked, index),
        )
      : this.#ask(checking, index);
  }

  #ask(call: BatchCall, index: number): MaybePromise<Answer> {
    const batch = { index, size: this.#calls.length };
    const judging = judgeCall(call, this.#session, { ...this.#place, batch });
    return isThenable(judging)
      ? judging.then((verdict) => ({ call, verdict }))
      : { call, verdict: judging };
  }

  /** False when the turn was cancelled meanwhile. */
  #take({ call, verdict }: Answer): boolean {
    if (verdict === 'cancelled') return false;
    if (verdict !== undefined && 'type' in verdict) this.#failure = verdict;
    this.#judged.push(verdict === undefined || 'type' in verdict ? unasked(call) : verdict);
    return true;
  }

  #chosen(): LoopEvent {
    const failure = this.#failure;
    const session = this.#session;
    if (failure !== undefined) session.error = failure.error;
    const retry = this.#judged.find(({ verdict }) => verdict.type === 'retry-with-feedback');
    const dropped = failure === undefined ? retry?.verdict : FAILED;
    if (dropped !== undefined) {
      retract(session, dropped, { turn: this.#place.turn, point: 'preToolUse' });
    }
    const { clock } = session.ports;
    const now = { at: clock.now(), tick: clock.monotonic() };
    return {
      type: 'batch.judged',
      calls: this.#judged,
      ...now,
      ...(session.hasStreamed && { shown: true }),
      ...(failure !== undefined && { failure }),
    };
  }
}

/** One call and what was said of it; nothing once a policy has failed. */
interface Answer {
  readonly call: BatchCall;
  readonly verdict?: Judged;
}

const CANCELLED: LoopEvent = Object.freeze({ type: 'turn.cancelled' });
const FAILED = Object.freeze({ type: 'failed' });

function unasked(call: BatchCall): JudgedCall {
  return { call, verdict: NO_OPINION };
}

/** A call as the model or a policy wrote it. One that cannot be read is refused here and never reaches a policy. */
function readCall(call: ToolCall, isCut: boolean, session: Session): BatchCall {
  const { callId, providerCallId, toolName, input, malformed } = call;
  const tool = session.ports.tools.get(toolName);
  const shape = isObject(input) ? undefined : 'the arguments are not a JSON object';
  const problem = isCut ? 'the answer was cut off before its end' : (malformed ?? shape);
  return {
    callId,
    providerCallId,
    toolName,
    displayName: tool?.displayName ?? toolName,
    tier: tool?.tier ?? 'confirm',
    sideEffects: tool?.sideEffects ?? 'once',
    parallel: tool?.parallel ?? false,
    requestedInput: input,
    effectiveInput: isObject(input) ? input : EMPTY,
    ...(problem !== undefined && { refusal: { outcome: 'invalid', by: 'agent', reason: problem } }),
  };
}

type Judged = JudgedCall | HookFailed | 'cancelled';

function judgeCall(
  call: BatchCall,
  session: Session,
  place: Place & { readonly batch: ToolInvocation['batch'] },
): MaybePromise<Judged> {
  const tool = session.ports.tools.get(call.toolName);
  if (call.refusal !== undefined || tool === undefined) return unasked(call);
  const gate = session.gateFor(place.turn.turnId);
  if (!gate.has('preToolUse')) return withDigest(call, NO_OPINION, { session, tool });
  const moment = momentOf(place.turn, place.attempt);
  const judging = gate.toolUse(invocationOf(call, place.batch), tool.check, moment);
  return isThenable(judging)
    ? judging.then((judged) => withVerdict(call, judged, { session, tool }))
    : withVerdict(call, judging, { session, tool });
}

function withVerdict(
  call: BatchCall,
  judged: ToolChainVerdict,
  made: { readonly session: Session; readonly tool: ToolPort<never> },
): Judged {
  if (judged.type === 'cancelled') return 'cancelled';
  if (judged.type === 'failed') return judged;
  const { effectiveInput } = judged.invocation;
  return withDigest(
    effectiveInput === call.effectiveInput ? call : { ...call, effectiveInput },
    judged.verdict,
    made,
  );
}

/** A digest only for what the ledger or an approval will be bound to. */
function withDigest(
  call: BatchCall,
  verdict: ToolVerdict,
  made: { readonly session: Session; readonly tool: ToolPort<never> },
): JudgedCall {
  const { session, tool } = made;
  const asks =
    verdict.type === 'confirm' || (verdict.type === 'no-opinion' && call.tier === 'confirm');
  if (!asks && call.sideEffects !== 'once') return { call, verdict };
  const { toolName, effectiveInput } = call;
  const digested = { ...call, inputDigest: session.digest.of({ toolName, input: effectiveInput }) };
  if (!asks) return { call: digested, verdict };
  const approvalId = session.ports.newId();
  return {
    call: digested,
    verdict,
    approvalId,
    ...(tool.tierHint !== undefined && { tierHint: tool.tierHint }),
  };
}

export function invocationOf(call: BatchCall, batch: ToolInvocation['batch']): ToolInvocation {
  const {
    callId,
    providerCallId,
    toolName,
    displayName,
    tier,
    sideEffects,
    effectiveInput,
    approval,
  } = call;
  const invocation: ToolInvocation = {
    callId,
    providerCallId,
    toolName,
    displayName,
    tier,
    sideEffects,
    requestedInput: call.requestedInput as JsonObject, // a call that is judged has passed its schema, which is an object's
    effectiveInput,
    batch: Object.freeze(batch),
    ...(approval?.answer !== undefined && { approval: approval.answer }),
  };
  return Object.freeze(invocation);
}

const EMPTY: JsonObject = Object.freeze({});

function isObject(value: ToolCall['input']): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
