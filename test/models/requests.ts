import type { ChatModel, ModelCallOptions, ModelRequest } from '../../src/models/port.ts';
import type { ChatStreamPart } from '../../src/protocol/chat.ts';
import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from '../../src/protocol/message.ts';

export function user(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function calling(...calls: readonly Partial<ToolCallPart>[]): AssistantMessage {
  return { role: 'assistant', content: calls.map(call) };
}

function call(given: Partial<ToolCallPart>, index = 0): ToolCallPart {
  const number = index + 1;
  const defaults = { callId: `t.1.${index}`, providerCallId: `call_${number}`, toolName: 'look' };
  return { type: 'tool-call', input: {}, ...defaults, ...given };
}

export function results(...given: readonly Partial<ToolResultPart>[]): ToolMessage {
  return {
    role: 'tool',
    content: given.map((result, index) => ({
      type: 'tool-result',
      callId: `t.1.${index}`,
      providerCallId: `call_${index + 1}`,
      toolName: 'look',
      outcome: 'succeeded',
      isError: false,
      output: 'found',
      ...result,
    })),
  };
}

export function request(
  messages: readonly Message[],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return { messages, settings: {}, tools: [], ...more };
}

export function uncancelled(): ModelCallOptions {
  return { signal: new AbortController().signal };
}

/** Everything a stream gave before it ended or failed. */
export async function collect(
  model: ChatModel,
  given: ModelRequest,
  options: ModelCallOptions = uncancelled(),
): Promise<{ readonly parts: ChatStreamPart[]; readonly error?: unknown }> {
  const parts: ChatStreamPart[] = [];
  try {
    for await (const part of model.stream(given, options)) parts.push(part);
    return { parts };
  } catch (error) {
    return { parts, error };
  }
}

/** What a call failed with; a call that succeeds fails the test. */
export async function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the call succeeded');
}
