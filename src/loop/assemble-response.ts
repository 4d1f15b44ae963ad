import type { ModelResponse } from '../models/port.ts';
import type { ChatResponse, ModelToolCall, Usage } from '../protocol/chat.ts';
import type { AssistantPart, ToolCallPart } from '../protocol/message.ts';
import { chatResponse } from '../protocol/read-content.ts';
import { readToolInput } from '../protocol/read-tool-input.ts';
import type { OpenTurn } from './state.ts';

/** Turns a model's answer into a frozen response: arguments read, engine ids minted. */
export function assembleResponse(
  response: ModelResponse,
  about: {
    readonly turn: OpenTurn;
    readonly model: string;
    readonly usage: Usage;
    readonly latencyMs: number;
  },
): ChatResponse {
  const { turn } = about;
  let index = 0;
  const content = response.content.map((part): AssistantPart => {
    if (part.type === 'tool-call')
      return toolCallPart(part.call, `${turn.turnId}.${turn.step}.${index++}`);
    return part;
  });
  return chatResponse({
    id: response.id ?? '',
    model: response.model ?? about.model,
    content,
    finishReason: response.finishReason,
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
    input: 'input' in read ? read.input : call.inputText,
    ...('malformed' in read && { malformed: read.malformed }),
    ...(call.providerMetadata !== undefined && { providerMetadata: call.providerMetadata }),
  };
}
