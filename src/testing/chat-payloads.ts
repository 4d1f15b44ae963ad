import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { ScriptedResponse, ScriptedToolCall } from '../models/scripted.ts';
import type { ChatRequest, ChatResponse, ModelSettings } from '../protocol/chat.ts';
import type { AssistantPart, ToolCallPart } from '../protocol/message.ts';
import { chatResponse as buildResponse } from '../protocol/read-content.ts';
import { readToolInput } from '../protocol/read-tool-input.ts';
import type { ToolPort } from '../tools/port.ts';
import { type HistoryEntry, history } from './history.ts';
import { TURN_ID } from './text-payloads.ts';

export interface RequestParts {
  /** The system prompt. Default: none. */
  readonly instructions?: string;
  readonly settings?: ModelSettings;
  readonly tools?: readonly ToolPort<never>[];
}

/** What `preLlmRequest` is asked about: the system prompt, then these messages, with the tools described. */
export function chatRequest(
  entries: readonly HistoryEntry[],
  parts: RequestParts = {},
): ChatRequest {
  const { instructions = '', settings = {}, tools = [] } = parts;
  const messages = history(...entries);
  return deepFreeze({
    messages:
      instructions === '' ? messages : [{ role: 'system', content: instructions }, ...messages],
    settings,
    tools: tools.map(({ description }) => description),
  });
}

/** An answer as a script of `scriptedModel` gives it, and what the engine adds. */
export interface ResponseParts extends ScriptedResponse {
  readonly id?: string;
  readonly model?: string;
  readonly latencyMs?: number;
}

/**
 * What `onLlmResponse` is asked about: a text, or the parts of an answer. Calls get the ids `this-turn.1.0`
 * and so on; arguments given as `inputText` are read as the engine reads them, faulty ones as malformed.
 *
 * @example
 * chatResponse('It will rain.')
 * chatResponse({ text: 'One moment.', toolCalls: [{ name: 'refund', input: { amount: 5 } }] })
 */
export function chatResponse(answer: string | ResponseParts): ChatResponse {
  const parts: ResponseParts = typeof answer === 'string' ? { text: answer } : answer;
  const { text = parts.pieces?.join(''), reasoning, toolCalls = [] } = parts;
  const content: AssistantPart[] = [];
  if (reasoning !== undefined) content.push({ type: 'reasoning', text: reasoning });
  if (text !== undefined) content.push({ type: 'text', text });
  content.push(...toolCalls.map(toolCallPart));
  return buildResponse({
    id: parts.id ?? 'msg_1',
    model: parts.model ?? 'scripted',
    content,
    finishReason: parts.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
    usage: parts.usage ?? { inputTokens: 10, outputTokens: 20 },
    latencyMs: parts.latencyMs ?? 1,
  });
}

function toolCallPart(call: ScriptedToolCall, index: number): ToolCallPart {
  const inputText = call.inputText ?? JSON.stringify(toJson(call.input ?? {}));
  const read = readToolInput(inputText);
  return {
    type: 'tool-call',
    callId: `${TURN_ID}.1.${index}`,
    providerCallId: call.id ?? `call_${index + 1}`,
    toolName: call.name,
    input: 'input' in read ? read.input : inputText.toWellFormed(),
    ...('malformed' in read && { malformed: read.malformed }),
  };
}
