import type { HookFailed, ToolChainVerdict } from '../hooks/gate.ts';
import type { ToolVerdict } from '../decisions/fold.ts';
import type { ToolCall } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolInvocation } from '../protocol/tool.ts';
import type { ToolPort } from '../tools/port.ts';
import type { Effect } from './effect.ts';
import type { JudgedCall, LoopEvent } from './event.ts';
import { momentOf } from './perform-judge.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn, Refusal } from './state.ts';

type Of<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

const NO_OPINION: ToolVerdict = Object.freeze({ type: 'no-opinion' });

/** Judges every call, in order, before anything is chosen; only a failed policy ends the judging early. */
export async function judgeBatch(effect: Of<'judge-batch'>, session: Session): Promise<LoopEvent> {
  const { turn, attempt, response } = effect;
  const size = response.toolCalls.length;
  const isCut = response.finishReason === 'length';
  return judgeAll(session, turn, response.toolCalls.map((call, index) => async () => {
    const prepared = await prepareCall(call, isCut, session);
    return judgeCall(prepared, session, { turn, attempt, batch: { index, size } });
  }), response.toolCalls.map(unjudged));
}

/** Asks again about what will run after the approvals, with the answer in hand. Settled calls are left alone. */
export async function rejudgeBatch(effect: Of<'rejudge-batch'>, session: Session): Promise<LoopEvent> {
  const { turn, batch } = effect;
  const size = batch.calls.length;
  return judgeAll(session, turn, batch.calls.map((call, index) => async () => {
    const prepared = call.refusal === undefined ? await recheckCall(call, session) : call;
    return judgeCall(prepared, session, { turn, attempt: 1, batch: { index, size } });
  }), batch.calls);
}

async function judgeAll(
  session: Session,
  turn: OpenTurn,
  judges: readonly (() => Promise<JudgedCall | HookFailed | 'cancelled'>)[],
  fallback: readonly BatchCall[],
): Promise<LoopEvent> {
  const calls: JudgedCall[] = [];
  let failure: HookFailed | undefined;
  for (const [index, judge] of judges.entries()) {
    const judged = failure === undefined ? await judge() : undefined;
    if (judged === 'cancelled') return { type: 'turn.cancelled' };
    if (judged !== undefined && 'type' in judged) failure = judged;
    const call = fallback[index];
    if (judged !== undefined && 'call' in judged) calls.push(judged);
    else if (call !== undefined) calls.push({ call, verdict: NO_OPINION });
  }
  if (failure !== undefined) session.error = failure.error;
  const drops = failure !== undefined || calls.some(({ verdict }) => verdict.type === 'retry-with-feedback');
  if (drops) retract(session, { type: 'block' }, { turn, point: 'preToolUse' });
  const at = session.ports.clock.now();
  return { type: 'batch.judged', calls, at, ...(failure !== undefined && { failure }) };
}

/** Looks the tool up and checks the arguments. What cannot run is refused here and never reaches a policy. */
async function prepareCall(call: ToolCall, isCut: boolean, session: Session): Promise<BatchCall> {
  const tool = session.ports.tools.get(call.toolName);
  if (tool === undefined) {
    const known = session.ports.tools.names.join(', ');
    return unjudged(call, { outcome: 'unknown-tool', by: 'agent', reason: `there is no tool of this name; there are: ${known}` });
  }
  if (call.malformed !== undefined || isCut) {
    const reason = isCut ? 'the answer was cut off before its end' : (call.malformed ?? '');
    return { ...unjudged(call, { outcome: 'invalid', by: 'agent', reason }), ...facts(tool) };
  }
  const checked = await tool.check(call.input);
  if ('problem' in checked) {
    return { ...unjudged(call, { outcome: 'invalid', by: 'agent', reason: checked.problem }), ...facts(tool) };
  }
  return { ...unjudged(call), ...facts(tool), effectiveInput: checked.input };
}

/** The tool may have changed while a person thought about the call: what is gone or no longer fits does not run. */
async function recheckCall(call: BatchCall, session: Session): Promise<BatchCall> {
  const tool = session.ports.tools.get(call.toolName);
  if (tool === undefined) {
    return { ...call, refusal: { outcome: 'unknown-tool', by: 'agent', reason: 'the tool is no longer there' } };
  }
  const checked = await tool.check(call.effectiveInput);
  if ('input' in checked) return { ...call, ...facts(tool) };
  return { ...call, refusal: { outcome: 'invalid', by: 'agent', reason: checked.problem } };
}

async function judgeCall(
  call: BatchCall,
  session: Session,
  place: { readonly turn: OpenTurn; readonly attempt: number; readonly batch: ToolInvocation['batch'] },
): Promise<JudgedCall | HookFailed | 'cancelled'> {
  const tool = session.ports.tools.get(call.toolName);
  if (call.refusal !== undefined || tool === undefined) return { call, verdict: NO_OPINION };
  const gate = session.gateFor(place.turn.turnId);
  if (!gate.has('preToolUse')) return withDigest(call, NO_OPINION, { session, tool });
  const moment = momentOf(place.turn, place.attempt);
  const judged: ToolChainVerdict = await gate.toolUse(invocationOf(call, place.batch), tool.check, moment);
  if (judged.type === 'cancelled') return 'cancelled';
  if (judged.type === 'failed') return judged;
  const effectiveInput = judged.invocation.effectiveInput;
  return withDigest(effectiveInput === call.effectiveInput ? call : { ...call, effectiveInput }, judged.verdict, { session, tool });
}

/** A digest only for what the ledger or an approval will be bound to. */
function withDigest(
  call: BatchCall,
  verdict: ToolVerdict,
  made: { readonly session: Session; readonly tool: ToolPort },
): JudgedCall {
  const { session, tool } = made;
  const asks = verdict.type === 'confirm' || (verdict.type === 'no-opinion' && call.tier === 'confirm');
  if (!asks && call.sideEffects !== 'once') return { call, verdict };
  const { toolName, effectiveInput } = call;
  const digested = { ...call, inputDigest: session.digest.of({ toolName, input: effectiveInput }) };
  if (!asks) return { call: digested, verdict };
  const approvalId = session.ports.newId();
  return { call: digested, verdict, approvalId, ...(tool.tierHint !== undefined && { tierHint: tool.tierHint }) };
}

export function invocationOf(call: BatchCall, batch: ToolInvocation['batch']): ToolInvocation {
  const { callId, providerCallId, toolName, displayName, tier, sideEffects, effectiveInput, approval } = call;
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

function unjudged(call: ToolCall, refusal?: Refusal | number): BatchCall {
  return {
    callId: call.callId,
    providerCallId: call.providerCallId,
    toolName: call.toolName,
    displayName: call.toolName,
    tier: 'confirm',
    sideEffects: 'once',
    requestedInput: call.input,
    effectiveInput: isObject(call.input) ? call.input : EMPTY,
    ...(typeof refusal === 'object' && { refusal }),
  };
}

const EMPTY: JsonObject = Object.freeze({});

function isObject(value: ToolCall['input']): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function facts(tool: ToolPort): Pick<BatchCall, 'displayName' | 'tier' | 'sideEffects'> {
  const { displayName, tier, sideEffects } = tool;
  return { displayName, tier, sideEffects };
}
