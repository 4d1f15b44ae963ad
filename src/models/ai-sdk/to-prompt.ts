import { ModelError } from '../../errors/model-error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type {
  AssistantPart,
  FilePart,
  Message,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '../../protocol/message.ts';
import { WireIds } from './wire-ids.ts';

/**
 * Writes messages as an AI SDK prompt: all results of a batch in one tool message, metadata of the provider
 * back where it came from. An assistant message without content is left out, since providers refuse it.
 */
export function toPrompt(
  messages: readonly Message[],
  specificationVersion: string,
  modelId: string,
): readonly object[] {
  const writer: Writer = { ids: new WireIds(), tagFiles: specificationVersion === 'v4', modelId };
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

function toResult(part: ToolResultPart, { ids }: Writer): object {
  const { toolName, output, isError } = part;
  const kind = typeof output === 'string' ? 'text' : 'json';
  return {
    type: 'tool-result',
    toolCallId: ids.ofResult(part),
    toolName,
    output: { type: isError ? `error-${kind}` : kind, value: output },
  };
}

function withMetadata(part: { readonly providerMetadata?: JsonObject }): {
  readonly providerOptions?: JsonObject;
} {
  return part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
}
