import type { ToolVerdict } from '../decisions/fold.ts';
import type { HookFailed, ToolChainVerdict } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { Writable } from '../internal/writable.ts';
import type { ToolCall } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolPort } from '../tools/port.ts';
import { defersIntent } from './capped-call.ts';
import { checkCall } from './check-call.ts';
import { isChildTool } from './child-tool.ts';
import type { Effect } from './effect.ts';
import type { JudgedCall, LoopEvent } from './event.ts';
import { findTool } from './find-tool.ts';
import { inputDigestOf } from './input-digest.ts';
import { invocationOf } from './invocation.ts';
import { checkerOf, hasLocks, keepWhole, locksOf, storedInput, wholeCall } from './locks.ts';
import { momentOf } from './moment-of.ts';
import { readListening } from './perform-prepare.ts';
import { precheckAsked } from './precheck-batch.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn } from './state.ts';
import { misfit, misfitOf, refuseEarly } from './step-answer.ts';
import { isToPrepare } from './step-prepare.ts';

type Of<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

const NO_OPINION: ToolVerdict = Object.freeze({ type: 'no-opinion' });

/** Judges every call, in order, before anything is chosen; only a failed policy ends the judging early. */
export function judgeBatch(effect: Of<'judge-batch'>, session: Session): MaybePromise<LoopEvent> {
  const { turn, attempt, response } = effect;
  const isCut = response.finishReason === 'length';
  const calls = response.toolCalls.map((call) => readCall(call, isCut, session));
  session.callFacts = undefined;
  const readable = refuseEarly(turn, calls);
  if (readable.some(isToPrepare)) return readListening(readable, session);
  return judgeAll(readable, session, { turn, attempt });
}

/** Asks again about what will run after the approvals, with the answer in hand. Settled calls are left alone. */
export function rejudgeBatch(
  effect: Of<'rejudge-batch'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn, batch } = effect;
  return judgeAll(batch.calls, session, { turn, attempt: effect.attempt ?? 1 });
}

type BatchJudged = Extract<LoopEvent, { readonly type: 'batch.judged' }>;

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
  #judged: JudgedCall[] = [];
  #failure: HookFailed | undefined;

  constructor(calls: readonly BatchCall[], session: Session, place: Place) {
    this.#calls = calls;
    this.#session = session;
    this.#place = place;
  }

  judgeFrom(first: number): MaybePromise<LoopEvent> {
    for (let index = first; index < this.#calls.length; index += 1) {
      const call = this.#calls[index] as BatchCall; // the loop stays below the length
      const checked = this.#failure === undefined ? checkCall(call, this.#session) : call;
      const end = isThenable(checked)
        ? checked.then((late) => this.#askLate(late, index))
        : this.#ask(checked, index);
      if (end !== undefined) return end;
    }
    return this.#chosen();
  }

  #askLate(call: BatchCall | 'cancelled', index: number): MaybePromise<LoopEvent> {
    if (call === 'cancelled') return CANCELLED;
    return this.#ask(call, index) ?? this.judgeFrom(index + 1);
  }

  /** Nothing when the next call can be judged at once; otherwise how the judging ends. */
  #ask(call: BatchCall, index: number): MaybePromise<LoopEvent> | undefined {
    const { turn, attempt } = this.#place;
    const tool = findTool(this.#session, call.toolName);
    if (this.#failure !== undefined || call.refusal !== undefined || tool === undefined) {
      this.#add({ call, verdict: NO_OPINION });
      return undefined;
    }
    const gate = this.#session.gateFor(turn.turnId);
    if (!gate.has('preToolUse')) return this.#judge(call, tool, NO_OPINION);
    const batch = { index, size: this.#calls.length };
    const invocation = invocationOf(wholeCall(call, this.#session), batch);
    const check = checkerOf(tool, this.#session);
    const asked = { check, moment: momentOf(turn, attempt) };
    let isLater = false;
    const judging = gate.toolUse(
      invocation,
      asked,
      (judged): MaybePromise<LoopEvent> | undefined => {
        const end = this.#take(judged, call, tool);
        // A verdict that comes at once goes back to the loop that asked, whatever the number of calls.
        return isLater ? (end ?? this.judgeFrom(index + 1)) : end;
      },
    );
    isLater = true;
    return judging as MaybePromise<LoopEvent> | undefined; // Only a later verdict goes on by itself, and that ends in an event.
  }

  #take(judged: ToolChainVerdict, call: BatchCall, tool: ToolPort<never>): LoopEvent | undefined {
    switch (judged.type) {
      case 'cancelled':
        return CANCELLED;
      case 'failed':
        this.#failure = judged;
        this.#add({ call, verdict: NO_OPINION });
        return undefined;
      case 'judged': {
        const { effectiveInput } = judged.invocation;
        const left = hasLocks(tool)
          ? this.#rewritten(call, effectiveInput, tool)
          : effectiveInput === call.effectiveInput
            ? call
            : { ...call, effectiveInput };
        return this.#judge(left, tool, judged.verdict);
      }
    }
  }

  /** What policies left of a call is whole, and the call that is stored is not. */
  #rewritten(call: BatchCall, whole: JsonObject, tool: ToolPort<never>): BatchCall {
    const session = this.#session;
    keepWhole(call.callId, whole, session);
    const locks = locksOf(tool, whole, session);
    const effectiveInput = storedInput(tool, whole);
    return { ...call, effectiveInput, ...(locks !== undefined && { locks }) };
  }

  /** A list that begins with one has no room for sixteen more. */
  #add(judged: JudgedCall): void {
    if (this.#judged.length === 0) this.#judged = [judged];
    else this.#judged.push(judged);
  }

  /** With a digest only for what the ledger or an approval will be bound to. */
  #judge(call: BatchCall, tool: ToolPort<never>, verdict: ToolVerdict): undefined {
    const asks =
      verdict.type === 'confirm' || (verdict.type === 'no-opinion' && call.tier === 'confirm');
    if (!asks && call.sideEffects !== 'once') {
      this.#add({ call, verdict });
      return;
    }
    const { digest, ports } = this.#session;
    const digested = { ...call, inputDigest: inputDigestOf(digest, call) };
    this.#add({
      call: digested,
      verdict,
      ...(asks && { approvalId: ports.newId() }),
      ...(asks && tool.tierHint !== undefined && { tierHint: tool.tierHint }),
    });
  }

  #chosen(): MaybePromise<LoopEvent> {
    if (this.#failure !== undefined) return this.#told(this.#judged);
    const { turn } = this.#place;
    const asked = precheckAsked(this.#judged, { session: this.#session, turn });
    return isThenable(asked) ? asked.then((calls) => this.#told(calls)) : this.#told(asked);
  }

  #told(calls: readonly JudgedCall[]): LoopEvent {
    const failure = this.#failure;
    const session = this.#session;
    if (failure !== undefined) session.error = failure.error;
    const retry = this.#judged.find(({ verdict }) => verdict.type === 'retry-with-feedback');
    const { turn } = this.#place;
    const dropped = failure === undefined ? retry?.verdict : FAILED;
    if (dropped !== undefined) retract(session, dropped, { turn, point: 'preToolUse' });
    const problem = misfitOf(turn, calls);
    if (problem !== undefined) retract(session, misfit(problem), { turn, point: 'output' });
    const judged: Writable<BatchJudged> = {
      type: 'batch.judged',
      calls,
      at: session.at,
      tick: session.tick,
    };
    if (session.hasStreamed) judged.shown = true;
    if (failure !== undefined) judged.failure = failure;
    return judged;
  }
}

const CANCELLED: LoopEvent = Object.freeze({ type: 'turn.cancelled' });
const FAILED = Object.freeze({ type: 'failed' });

/** A call as the model or a policy wrote it. One that cannot be read is refused here and never reaches a policy. */
function readCall(call: ToolCall, isCut: boolean, session: Session): BatchCall {
  const { callId, providerCallId, toolName, input, malformed } = call;
  const tool = findTool(session, toolName);
  const shape = isObject(input) ? undefined : 'the arguments are not a JSON object';
  const problem = isCut ? 'the answer was cut off before its end' : (malformed ?? shape);
  const read: Writable<BatchCall> = {
    callId,
    providerCallId,
    toolName,
    displayName: tool?.displayName ?? toolName,
    tier: tool?.tier ?? 'confirm',
    sideEffects: tool?.sideEffects ?? 'once',
    parallel: tool?.parallel ?? false,
    requestedInput: input,
    effectiveInput: isObject(input) ? input : EMPTY,
  };
  if (isChildTool(tool)) read.isChild = true;
  if (tool?.readResult !== undefined) read.isHost = true;
  if (tool?.announce !== undefined) read.announce = 'due';
  if (tool?.operation !== undefined) read.isListen = true;
  if (defersIntent(tool, session)) read.defersIntent = true;
  if (problem !== undefined) read.refusal = { outcome: 'invalid', by: 'agent', reason: problem };
  return read;
}

const EMPTY: JsonObject = Object.freeze({});

function isObject(value: ToolCall['input']): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
