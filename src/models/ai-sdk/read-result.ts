import { ModelError } from '../../errors/model-error.ts';
import { toJson } from '../../internal/to-json.ts';
import type { ModelToolCall, Usage } from '../../protocol/chat.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { FilePart } from '../../protocol/message.ts';
import type { ModelPart, ModelResponse } from '../port.ts';
import { type ModelFacts, readFinishReason, readUsage } from './read-finish.ts';
import { isRecord, readString } from './read-values.ts';
import type { AiSdkPart, AiSdkResult } from './spec.ts';
import { WireIds } from './wire-ids.ts';

/** Reads a whole answer. Sources, the provider's own tool calls and unknown parts are left out. */
export function readResult(result: AiSdkResult, facts: ModelFacts): ModelResponse {
  if (!Array.isArray(result?.content)) throw unreadable(facts.id, 'the answer has no content');
  const ids = new WireIds();
  const content: ModelPart[] = [];
  for (const part of result.content as readonly AiSdkPart[]) {
    const read = readPart(part, ids, facts.id);
    if (read !== undefined) content.push(read);
  }
  const usage = readUsage(result, facts);
  const finishReason = readFinishReason(result.finishReason, facts);
  if (finishReason === 'error') throw endedInError(facts.id, usage);
  return { ...readOrigin(result.response), content, finishReason, usage };
}

function readPart(part: AiSdkPart, ids: WireIds, modelId: string): ModelPart | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const providerMetadata = readMetadata(part.providerMetadata);
      const text = readString(part.text);
      return { type: part.type, text, ...(providerMetadata !== undefined && { providerMetadata }) };
    }
    case 'file':
      return readFile(part, modelId);
    case 'tool-call': {
      const call = readToolCall(part, ids);
      return call === undefined ? undefined : { type: 'tool-call', call };
    }
    default:
      return undefined;
  }
}

/** `undefined` for a call that the provider runs itself. */
export function readToolCall(part: AiSdkPart, ids: WireIds): ModelToolCall | undefined {
  if (part.providerExecuted === true) return undefined;
  const providerMetadata = readMetadata(part.providerMetadata);
  return {
    id: ids.claim(readString(part.toolCallId)),
    toolName: readString(part.toolName),
    inputText: typeof part.input === 'string' ? part.input : JSON.stringify(toJson(part.input)),
    ...(providerMetadata !== undefined && { providerMetadata }),
  };
}

export function readFile(part: AiSdkPart, modelId: string): FilePart {
  const mediaType = readString(part.mediaType) || 'application/octet-stream';
  const tagged = isRecord(part.data) && !(part.data instanceof Uint8Array) ? part.data : undefined;
  const data = tagged === undefined ? part.data : tagged['data'];
  if (typeof data === 'string') return { type: 'file', mediaType, data };
  if (data instanceof Uint8Array) {
    return { type: 'file', mediaType, data: Buffer.from(data).toString('base64') };
  }
  const url = tagged?.['url'];
  if (url === undefined) throw unreadable(modelId, 'a file in the answer has no data');
  return { type: 'file', mediaType, url: String(url) };
}

export function readMetadata(metadata: unknown): JsonObject | undefined {
  if (!isRecord(metadata) || Object.keys(metadata).length === 0) return undefined;
  return toJson(metadata) as JsonObject; // A record gives an object.
}

export function readOrigin(response: unknown): { readonly id?: string; readonly model?: string } {
  if (!isRecord(response)) return {};
  const { id, modelId } = response;
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof modelId === 'string' && { model: modelId }),
  };
}

export function unreadable(modelId: string, what: string): ModelError {
  return new ModelError('invalid-response', {
    where: `model '${modelId}'`,
    what,
    fix: 'Call it again; if it stays, the endpoint does not speak the protocol of its provider package',
  });
}

/** Some packages throw what the provider reported as an error, and some end the answer with it. */
export function endedInError(modelId: string, usage: Usage): ModelError {
  return new ModelError(
    'server-error',
    {
      where: `model '${modelId}'`,
      what: 'the provider ended its answer with an error',
      fix: 'Try again; see its status page if it stays',
    },
    { usage },
  );
}
