import { ModelError } from '../errors/model-error.ts';
import type { ModelPart, ModelResponse } from '../models/port.ts';
import type {
  ChatResponse,
  ChatStreamPart,
  ModelFinish,
  ModelToolCall,
  Usage,
} from '../protocol/chat.ts';
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
    // Half of a character would be stored differently by every store.
    return part.type === 'file' ? part : { ...part, text: part.text.toWellFormed() };
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
    input: 'input' in read ? read.input : call.inputText.toWellFormed(),
    ...('malformed' in read && { malformed: read.malformed }),
    ...(call.providerMetadata !== undefined && { providerMetadata: call.providerMetadata }),
  };
}

/** Gathers a stream into one answer, telling of each piece as it comes. One without an end, or with more after it, is an error. */
export async function collectStream(
  stream: AsyncIterable<ChatStreamPart>,
  onDelta: (kind: 'text' | 'reasoning' | 'tool-input', text: string) => Promise<void> | undefined,
): Promise<ModelResponse> {
  const content: ModelPart[] = [];
  let finish: { readonly result: ModelFinish } | undefined;
  for await (const part of stream) {
    if (finish !== undefined)
      throw unusable('it went on after it had said that it was finished', BROKEN_MODEL);
    switch (part?.type) {
      case 'finish':
        finish = part;
        break;
      case 'tool-call':
      case 'file':
        content.push(part);
        break;
      case 'text':
      case 'reasoning':
      case 'tool-input':
        if (typeof part.text !== 'string')
          throw unusable(`a part of type '${part.type}' has no text`, BROKEN_MODEL);
        if (part.type !== 'tool-input') appendText(content, part);
        await onDelta(part.type, part.text);
        break;
      default:
        throw unusable('a part of it is no ChatStreamPart', BROKEN_MODEL);
    }
  }
  if (finish === undefined) throw unusable('it ended without saying that it was finished', CUT_OFF);
  return { ...finish.result, content };
}

const BROKEN_MODEL = 'Nothing of the answer was kept; correct the ChatModel that gave it';
const CUT_OFF =
  'The connection was probably cut; nothing of the answer was kept, so send the message again';

function unusable(what: string, fix: string): ModelError {
  return new ModelError('invalid-response', { where: 'model stream', what, fix });
}

function appendText(
  content: ModelPart[],
  part: Extract<ChatStreamPart, { readonly type: 'text' | 'reasoning' }>,
): void {
  const last = content[content.length - 1];
  // What a provider wants back unchanged comes with the last piece of a block, and so ends it.
  if (last?.type !== part.type || last.providerMetadata !== undefined) content.push(part);
  else content[content.length - 1] = { ...last, ...part, text: last.text + part.text };
}
