import { deepFreeze } from '../internal/deep-freeze.ts';
import type { Writable } from '../internal/writable.ts';
import type { ModelResponse } from '../models/port.ts';
import type { ChatResponse, ModelToolCall, Usage } from '../protocol/chat.ts';
import type { AssistantPart, ToolCallPart } from '../protocol/message.ts';
import { chatResponse } from '../protocol/read-content.ts';
import { readToolInput } from '../protocol/read-tool-input.ts';
import { usageInAnswer } from '../protocol/usage.ts';
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
  let calls = 0;
  // Mapped, as a list that grows keeps room for sixteen more, and this one is stored.
  const content = response.content.map((part): AssistantPart => {
    if (part.type === 'tool-call')
      return toolCallPart(part.call, `${turn.turnId}.${turn.step}.${calls++}`);
    return deepFreeze(part.type === 'file' ? part : wellFormed(part));
  });
  const model = response.model?.toWellFormed() ?? about.model;
  return chatResponse({
    id: response.id?.toWellFormed() ?? '',
    model,
    content,
    finishReason: response.finishReason,
    usage: usageInAnswer(model, about.usage),
    latencyMs: about.latencyMs,
  });
}

function toolCallPart(call: ModelToolCall, callId: string): ToolCallPart {
  const inputText = call.inputText.toWellFormed();
  const read = readToolInput(inputText);
  const part: Writable<ToolCallPart> = {
    type: 'tool-call',
    callId,
    providerCallId: call.id === '' ? callId : call.id.toWellFormed(),
    toolName: call.toolName.toWellFormed(),
    input: 'input' in read ? read.input : inputText,
  };
  if ('malformed' in read) part.malformed = read.malformed;
  if (call.providerMetadata !== undefined)
    part.providerMetadata = deepFreeze(call.providerMetadata);
  return Object.freeze(part);
}

/** Half of a character would be stored differently by every store. */
function wellFormed<Part extends { readonly text: string }>(part: Part): Part {
  return part.text.isWellFormed() ? part : { ...part, text: part.text.toWellFormed() };
}
