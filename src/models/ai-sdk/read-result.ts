import { ModelError } from '../../errors/model-error.ts';
import { toJson } from '../../internal/to-json.ts';
import type { FinishReason, ModelToolCall, Usage } from '../../protocol/chat.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { FilePart } from '../../protocol/message.ts';
import type { ModelPart, ModelResponse } from '../port.ts';
import type { AiSdkPart, AiSdkResult } from './spec.ts';
import { WireIds } from './wire-ids.ts';

/** Reads a whole answer. Sources, the provider's own tool calls and unknown parts are left out. */
export function readResult(result: AiSdkResult, modelId: string): ModelResponse {
  if (!Array.isArray(result?.content)) throw unreadable(modelId, 'the answer has no content');
  const ids = new WireIds();
  const content: ModelPart[] = [];
  for (const part of result.content as readonly AiSdkPart[]) {
    const read = readPart(part, ids, modelId);
    if (read !== undefined) content.push(read);
  }
  return {
    ...readOrigin(result.response),
    content,
    finishReason: readFinishReason(result.finishReason),
    usage: readUsage(result.usage),
  };
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

const FINISH_REASONS: readonly string[] = [
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'error',
] satisfies readonly FinishReason[];

/** A reason that is not known never counts as one that lets tools run. */
export function readFinishReason(reason: unknown): FinishReason {
  const word = unifiedReason(reason);
  return FINISH_REASONS.includes(word) ? (word as FinishReason) : 'other'; // One of the list above.
}

export function unifiedReason(reason: unknown): string {
  return readString(isRecord(reason) ? reason['unified'] : reason);
}

/** What was read from a cache is part of the input since spec v3, and was so in v2. */
export function readUsage(usage: unknown): Usage {
  const flat = isRecord(usage) ? usage : {};
  const input = isRecord(flat['inputTokens']) ? flat['inputTokens'] : undefined;
  const output = isRecord(flat['outputTokens']) ? flat['outputTokens'] : undefined;
  const cached = readCount(input?.['cacheRead'] ?? flat['cachedInputTokens']);
  const reasoning = readCount(output?.['reasoning'] ?? flat['reasoningTokens']);
  return {
    inputTokens: readCount(input === undefined ? flat['inputTokens'] : input['total']),
    outputTokens: readCount(output === undefined ? flat['outputTokens'] : output['total']),
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  };
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

export function readString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function unreadable(modelId: string, what: string): ModelError {
  return new ModelError('invalid-response', {
    where: `model '${modelId}'`,
    what,
    fix: 'Call it again; if it stays, the endpoint does not speak the protocol of its provider package',
  });
}

/** Counts are whole; one that no answer can have cost says nothing. */
function readCount(value: unknown): number {
  const count = typeof value === 'number' ? Math.round(value) : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
