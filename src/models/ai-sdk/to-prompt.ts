import { ModelError } from '../../errors/model-error.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type {
  AssistantPart,
  FilePart,
  Message,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '../../protocol/message.ts';
import type { AiSdkModel } from './spec.ts';
import { WireIds } from './wire-ids.ts';

/**
 * Writes messages as an AI SDK prompt: all results of a batch in one tool message, metadata of the provider
 * back where it came from. An assistant message without content is left out, since providers refuse it.
 */
export function toPrompt(
  messages: readonly Message[],
  { provider, specificationVersion }: Pick<AiSdkModel, 'provider' | 'specificationVersion'>,
  modelId: string,
): readonly object[] {
  const tagFiles = specificationVersion === 'v4';
  const takesFiles = !provider.endsWith('.chat');
  const writer: Writer = {
    ids: new WireIds(),
    tagFiles,
    takesFiles,
    specificationVersion,
    modelId,
  };
  const prompt: object[] = [];
  for (const message of messages) {
    if (message.role === 'assistant' && message.content.length === 0) continue;
    prompt.push({ role: message.role, content: toContent(message, writer) });
  }
  return prompt;
}

interface Writer {
  readonly ids: WireIds;
  /** Since v4, file data says of what kind it is. */
  readonly tagFiles: boolean;
  /** False for an API that has only text in results: its adapter would write the bytes of a picture out as words. */
  readonly takesFiles: boolean;
  readonly specificationVersion: string;
  readonly modelId: string;
}

function toContent(message: Message, writer: Writer): string | readonly object[] {
  switch (message.role) {
    case 'system':
      return message.content;
    case 'tool':
      return message.content.map((part) => toResult(part, writer));
    default:
      return message.content.map((part: AssistantPart | UserPart) => toPart(part, writer));
  }
}

function toPart(part: AssistantPart | UserPart, writer: Writer): object {
  switch (part.type) {
    case 'file':
      return toFile(part, writer);
    case 'tool-call':
      return toCall(part, writer);
    default:
      return { type: part.type, text: part.text, ...withMetadata(part) };
  }
}

function toFile(
  { mediaType, data, url, filename }: FilePart,
  { tagFiles, modelId }: Writer,
): object {
  const name = filename === undefined ? {} : { filename };
  if (data !== undefined) {
    return { type: 'file', mediaType, data: tagFiles ? { type: 'data', data } : data, ...name };
  }
  if (url === undefined || !URL.canParse(url)) {
    throw new ModelError('invalid-request', {
      where: `model '${modelId}'`,
      what: 'a file in the messages has a URL that is none',
      fix: 'Give the file an absolute URL, or its data as base64',
    });
  }
  return {
    type: 'file',
    mediaType,
    data: tagFiles ? { type: 'url', url: new URL(url) } : new URL(url),
    ...name,
  };
}

/** Providers want an object as input, so the text of a call that could not be read is wrapped into one. */
function toCall(part: ToolCallPart, { ids }: Writer): object {
  const { toolName, input, malformed } = part;
  return {
    type: 'tool-call',
    toolCallId: ids.ofCall(part),
    toolName,
    input: malformed === undefined ? input : { unreadableArguments: input },
    ...withMetadata(part),
  };
}

function toResult(part: ToolResultPart, writer: Writer): object {
  const { toolName, output, isError, files = [] } = part;
  const { ids } = writer;
  const kind = typeof output === 'string' ? 'text' : 'json';
  return {
    type: 'tool-result',
    toolCallId: ids.ofResult(part),
    toolName,
    output:
      files.length > 0 && !isError
        ? { type: 'content', value: toResultContent(output, files, writer) }
        : { type: isError ? `error-${kind}` : kind, value: output },
  };
}

/** The output as text, unless there is none, and the files behind it. */
function toResultContent(
  output: JsonValue,
  files: readonly FilePart[],
  writer: Writer,
): readonly object[] {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const texts = output === null || text === '' ? [] : [{ type: 'text', text }];
  return [...texts, ...files.map((file) => toResultFile(file, writer))];
}

/** Each version of the spec has forms of its own for files in results; v2 has none for a URL. */
function toResultFile(file: FilePart, writer: Writer): object {
  const { mediaType, data, url } = file;
  const kind = mediaType.startsWith('image/') ? 'image' : 'file';
  if (!writer.takesFiles)
    return { type: 'text', text: `[${kind} ${mediaType}, which this model cannot be shown]` };
  switch (writer.specificationVersion) {
    case 'v2':
      return data === undefined
        ? { type: 'text', text: `[${kind} ${mediaType}: ${url}]` }
        : { type: 'media', data, mediaType };
    case 'v3': {
      if (data === undefined) return { type: `${kind}-url`, url };
      const name =
        kind === 'image' || file.filename === undefined ? {} : { filename: file.filename };
      return { type: `${kind}-data`, data, mediaType, ...name };
    }
    default:
      return toFile(file, writer);
  }
}

function withMetadata(part: { readonly providerMetadata?: JsonObject }): {
  readonly providerOptions?: JsonObject;
} {
  return part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
}
