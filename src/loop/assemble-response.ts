import { ModelError } from '../errors/model-error.ts';
import type { ModelPart, ModelResponse } from '../models/port.ts';
import type { ChatResponse, ChatStreamPart, FinishReason, ModelFinish, ModelToolCall, Usage } from '../protocol/chat.ts';
import type { AssistantPart, ToolCallPart } from '../protocol/message.ts';
import { chatResponse } from '../protocol/read-content.ts';
import { readToolInput } from '../protocol/read-tool-input.ts';
import type { OpenTurn } from './state.ts';

const FINISH_REASONS: ReadonlySet<string> = new Set([
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'error',
  'other',
] satisfies FinishReason[]);

/** Turns what a model gave into a frozen response: arguments read, engine ids minted. Garbage is a `ModelError`. */
export function assembleResponse(
  response: ModelResponse,
  about: { readonly turn: OpenTurn; readonly model: string; readonly usage: Usage; readonly latencyMs: number },
): ChatResponse {
  const { turn } = about;
  let index = 0;
  const content = response.content.map((part): AssistantPart => {
    if (part.type !== 'tool-call') return part;
    const callId = `${turn.turnId}.${turn.step}.${index++}`;
    return toolCallPart(part.call, callId);
  });
  return chatResponse({
    id: response.id ?? '',
    model: response.model ?? about.model,
    content,
    finishReason: FINISH_REASONS.has(response.finishReason) ? response.finishReason : 'other',
    usage: about.usage,
    latencyMs: about.latencyMs,
  });
}

function toolCallPart(call: ModelToolCall, callId: string): ToolCallPart {
  const read = readToolInput(call.inputText);
  return {
    type: 'tool-call',
    callId,
    providerCallId: call.id === '' ? callId : call.id,
    toolName: call.toolName,
    input: 'input' in read ? read.input : call.inputText.toWellFormed(),
    ...('malformed' in read && { malformed: read.malformed }),
    ...(call.providerMetadata !== undefined && { providerMetadata: call.providerMetadata }),
  };
}

/** Gathers a stream into one response, telling of each piece as it comes. A stream without an end is an error. */
export async function collectStream(
  stream: AsyncIterable<ChatStreamPart>,
  onDelta: (kind: 'text' | 'reasoning' | 'tool-input', text: string) => Promise<void> | undefined,
): Promise<ModelResponse> {
  const content: ModelPart[] = [];
  let finish: ModelFinish | undefined;
  for await (const part of stream) {
    if (part.type === 'finish') finish = part.result;
    else if (part.type === 'tool-call' || part.type === 'file') content.push(part);
    else {
      if (part.type !== 'tool-input') appendText(content, part);
      await onDelta(part.type, part.text);
    }
  }
  if (finish === undefined) {
    throw new ModelError('invalid-response', {
      where: 'model stream',
      what: 'it ended without saying that it was finished',
      fix: 'The connection was probably cut; nothing of the answer was kept, so send the message again',
    });
  }
  return { ...finish, content };
}

function appendText(content: ModelPart[], part: Extract<ChatStreamPart, { readonly type: 'text' | 'reasoning' }>): void {
  const last = content[content.length - 1];
  if (last?.type !== part.type || part.providerMetadata !== undefined) {
    content.push(part);
    return;
  }
  content[content.length - 1] = { ...last, text: last.text + part.text };
}
