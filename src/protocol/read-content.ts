import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatResponse, FinishReason, ToolCall, Usage } from './chat.ts';
import type { AssistantPart, Message, ToolCallPart, ToolResultPart } from './message.ts';

/** All text of a message, in order. Empty for one that holds only calls, files or results. */
export function textOf(message: Message): string {
  if (message.role === 'system') return message.content;
  if (message.role === 'tool') return '';
  return joinText(message.content);
}

/** The tool calls of a message; empty for anything but an assistant's. */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  return message.role === 'assistant' ? callsIn(message.content) : [];
}

/** The tool results of a message; empty for anything but a tool message. */
export function toolResultsOf(message: Message): readonly ToolResultPart[] {
  return message.role === 'tool' ? message.content : [];
}

/** Builds a frozen response from its parts, so that `text`, `reasoning` and `toolCalls` always agree with `content`. */
export function chatResponse(parts: {
  readonly id: string;
  readonly model: string;
  readonly content: readonly AssistantPart[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly latencyMs: number;
}): ChatResponse {
  const { content } = parts;
  return Object.freeze({
    id: parts.id,
    model: parts.model,
    content: deepFreeze(content),
    text: joinText(content),
    reasoning: joinText(content, 'reasoning'),
    toolCalls: callsIn(content),
    finishReason: parts.finishReason,
    usage: deepFreeze(parts.usage),
    latencyMs: parts.latencyMs,
  });
}

/** The text, or the thoughts, of a message's parts, in order. */
export function joinText(
  parts: readonly { readonly type: string; readonly text?: string }[],
  type: 'text' | 'reasoning' = 'text',
): string {
  let text = '';
  // By index, here and below: an iterator of a frozen list is none that V8 leaves out.
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part?.type === type) text += part.text ?? '';
  }
  return text;
}

/**
 * The calls among the parts: the parts themselves, as every freeze costs as much as a transition, but for those that
 * hold something of a provider, which no policy is to read in a call.
 */
function callsIn(parts: readonly AssistantPart[]): readonly ToolCall[] {
  if (areCalls(parts)) return parts;
  const calls = parts.filter((part) => part.type === 'tool-call');
  return calls.length === 0 ? NO_CALLS : Object.freeze(calls.map(callOf));
}

const NO_CALLS: readonly ToolCall[] = Object.freeze([]);

function areCalls(parts: readonly AssistantPart[]): parts is readonly ToolCallPart[] {
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part?.type !== 'tool-call' || part.providerMetadata !== undefined) return false;
  }
  return true;
}

function callOf(part: ToolCallPart): ToolCall {
  const { providerMetadata, ...call } = part;
  return providerMetadata === undefined ? part : Object.freeze(call);
}
