import { ToolError } from '../../errors/tool-error.ts';
import { toJson } from '../../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { isBase64, ToolOutput } from '../tool-output.ts';

/** What a server answered, as the result of a tool. Throws `ToolError` for an error that the server reports. */
export function readMcpResult(
  result: unknown,
  maxBytes: number,
): JsonValue | ToolOutput<JsonValue> {
  const { content, structuredContent, isError } = membersOf(result);
  if (!Array.isArray(content) && structuredContent === undefined) {
    const words = 'The server gave something that is no result of a tool';
    throw new ToolError(words, { code: 'outcome-unknown', eventText: 'no result of a tool' });
  }
  const parts = Array.isArray(content) ? content.map(membersOf) : [];
  if (isError === true) {
    const words = parts.map(textOf).filter((text) => text !== undefined);
    const said = words.join('\n').trim();
    throw new ToolError(cutText(said === '' ? 'the server reported an error' : said, maxBytes), {
      eventText: 'the server reported an error',
    });
  }
  const files = parts.flatMap((part) => fileOf(part) ?? []);
  const isTooMuch = files.reduce((sum, { data }) => sum + data.length, 0) > MAX_FILES;
  const shown = isTooMuch ? parts : parts.map(pointer);
  const output = bounded(outputOf(shown, structuredContent), maxBytes);
  return files.length === 0 || isTooMuch ? output : new ToolOutput(output, files);
}

/** Characters of base64 that the files of one result may have together; of what is more only the size is told. */
const MAX_FILES = 8 * 1024 * 1024;

/** What is shown behind the output leaves only what it is in there. */
function pointer(part: JsonObject): JsonObject {
  if (fileOf(part) === undefined) return part;
  const { data: _shown, resource, ...rest } = part;
  if (resource === undefined) return rest;
  const { blob: _too, ...about } = membersOf(resource);
  return { ...rest, resource: about };
}

/** A picture or document of a kind that models read; whatever else a server gives stays data. */
function fileOf(
  part: JsonObject,
): { readonly mediaType: string; readonly data: string } | undefined {
  const of = part['type'] === 'resource' ? membersOf(part['resource']) : part;
  const { mimeType, data = of['blob'] } = of;
  const isKnown = typeof mimeType === 'string' && READABLE.has(mimeType);
  return isKnown && typeof data === 'string' && isBase64(data)
    ? { mediaType: mimeType, data }
    : undefined;
}

const READABLE: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
]);

/** What is structured says it all; the text beside it is for clients that cannot read that. */
function outputOf(parts: readonly JsonObject[], structured: JsonValue | undefined): JsonValue {
  const texts = parts.map(textOf);
  const others = parts.filter((_, index) => texts[index] === undefined).map(withoutBytes);
  if (structured !== undefined)
    return others.length === 0 ? structured : { result: structured, content: others };
  if (others.length > 0) return parts.map(withoutBytes);
  const [only = '', ...more] = texts as readonly string[]; // None of them is another kind of part.
  return more.length === 0 ? only : [only, ...more];
}

function textOf(part: JsonObject): string | undefined {
  return part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : undefined;
}

/** Bytes are nothing a model reads as text; what they are and how many says enough. */
function withoutBytes(part: JsonObject): JsonObject {
  const { data, blob, resource, ...rest } = part;
  const bytes = data ?? blob;
  return {
    ...rest,
    ...(typeof bytes === 'string' && { omittedBytes: Buffer.byteLength(bytes, 'base64') }),
    ...(resource !== undefined && { resource: withoutBytes(membersOf(resource)) }),
  };
}

export function membersOf(value: unknown): JsonObject {
  const json = toJson(value);
  return isObject(json) ? json : {};
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** What is too long is cut as text, with a note of how much is missing. */
export function bounded(output: JsonValue, maxBytes: number): JsonValue {
  if (typeof output === 'string') return cutText(output, maxBytes);
  const text = JSON.stringify(output);
  return Buffer.byteLength(text) <= maxBytes ? output : cutText(text, maxBytes);
}

/** Cuts between two characters, so that no half of one is left. */
function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  // The bytes of a character behind its first begin with 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return `${bytes.subarray(0, end).toString()}\n[${bytes.length - end} bytes elided]`;
}
