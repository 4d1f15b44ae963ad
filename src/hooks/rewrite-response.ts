import type { ModifyResponse, RewrittenCall } from '../decisions/response-decision.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { ChatResponse, FinishReason } from '../protocol/chat.ts';
import type { AssistantPart, ToolCallPart } from '../protocol/message.ts';
import { chatResponse } from '../protocol/read-content.ts';
import type { Rewrite } from './chain.ts';

/**
 * Another text or other calls for a response. `content` is rebuilt, so that what is shown, what is stored and
 * what is sent back to the provider agree. A call without an id is new and gets one from `newCallId`.
 */
export function rewriteResponse(
  before: ChatResponse,
  decision: ModifyResponse,
  newCallId: () => string,
): Rewrite<ChatResponse> {
  const { text, reasoning, toolCalls } = decision.response;
  let { content, finishReason } = before;
  if (toolCalls !== undefined) {
    const problem = callProblem(toolCalls, content);
    if (problem !== undefined) return { problem };
    const parts = toolCalls.map((call) => toolCallPart(call, content, newCallId));
    finishReason = finishReasonWith(toolCalls, before);
    content = putCalls(content, parts);
  }
  if (text !== undefined && text !== before.text) content = putText(content, text);
  if (reasoning !== undefined && reasoning !== before.reasoning) {
    content = putReasoning(content, reasoning);
  }
  const { id, model, usage, latencyMs } = before;
  return { value: chatResponse({ id, model, content, finishReason, usage, latencyMs }) };
}

function callProblem(
  calls: readonly RewrittenCall[],
  content: readonly AssistantPart[],
): string | undefined {
  const seen = new Set<string>();
  for (const [index, { callId }] of calls.entries()) {
    if (callId === undefined) continue;
    if (callIn(content, callId) === undefined) {
      return `toolCalls.${index}.callId: no call of the response; leave it out for a new call`;
    }
    if (seen.has(callId)) return `toolCalls.${index}.callId: is there twice`;
    seen.add(callId);
  }
  return undefined;
}

function callIn(content: readonly AssistantPart[], callId: string): ToolCallPart | undefined {
  for (const part of content) if (part.type === 'tool-call' && part.callId === callId) return part;
  return undefined;
}

function toolCallPart(
  call: RewrittenCall,
  content: readonly AssistantPart[],
  newCallId: () => string,
): ToolCallPart {
  const { toolName, input } = call;
  const kept = call.callId === undefined ? undefined : callIn(content, call.callId);
  if (kept === undefined) {
    const callId = newCallId();
    return { type: 'tool-call', callId, providerCallId: callId, toolName, input };
  }
  if (jsonEqual(input, kept.input)) {
    return toolName === kept.toolName ? kept : { ...kept, toolName };
  }
  // Arguments that could not be read are gone once a policy wrote others.
  const { malformed: _malformed, ...rest } = kept;
  return { ...rest, toolName, input };
}

/** The new calls take the places of the old ones in order; what is left over goes after the last place. */
function putCalls(
  content: readonly AssistantPart[],
  calls: readonly ToolCallPart[],
): readonly AssistantPart[] {
  const rest = [...calls];
  const last = content.findLastIndex((part) => part.type === 'tool-call');
  const result = content.flatMap((part, index): AssistantPart[] => {
    if (part.type !== 'tool-call') return [part];
    return index === last ? rest.splice(0) : rest.splice(0, 1);
  });
  return [...result, ...rest];
}

/**
 * One text in the place of the first. Reasoning about a text that is gone would bring it back, so it goes too;
 * signed reasoning stays beside tool calls, which some providers refuse without it.
 */
function putText(content: readonly AssistantPart[], text: string): readonly AssistantPart[] {
  const hasCalls = content.some((part) => part.type === 'tool-call');
  const first = content.findIndex((part) => part.type === 'text');
  const place = first >= 0 ? first : content.findIndex((part) => part.type === 'tool-call');
  const result: AssistantPart[] = [];
  const addText = (): void => {
    if (text !== '') result.push({ type: 'text', text });
  };
  for (const [index, part] of content.entries()) {
    if (index === place) addText();
    if (part.type === 'text') continue;
    if (part.type === 'reasoning' && !(hasCalls && part.providerMetadata !== undefined)) continue;
    result.push(part);
  }
  if (place === -1) addText();
  return result;
}

/** Thoughts a policy wrote, or none, in the place of all of the model's: signed ones would give the old text back. */
function putReasoning(content: readonly AssistantPart[], text: string): readonly AssistantPart[] {
  const rest = content.filter((part) => part.type !== 'reasoning');
  return text === '' ? rest : [{ type: 'reasoning', text }, ...rest];
}

/** Only `tool-calls` lets tools run: it comes with an added call and goes with the last one. */
function finishReasonWith(calls: readonly RewrittenCall[], before: ChatResponse): FinishReason {
  const { finishReason, toolCalls } = before;
  if (calls.length === 0 && toolCalls.length > 0 && finishReason === 'tool-calls') return 'stop';
  const adds = calls.some((call) => call.callId === undefined);
  return finishReason === 'stop' && adds ? 'tool-calls' : finishReason;
}
