import { ConfigError } from '../errors/config-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type {
  AssistantPart,
  Message,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '../protocol/message.ts';
import { readToolInput } from '../protocol/read-tool-input.ts';

/**
 * Reads a conversation in OpenAI's chat format into messages of this package: the roles `system`, `user`,
 * `assistant` and `tool`, texts, images by URL, tool calls and their results. Anything else is a `ConfigError`
 * with code `invalid-input` that names the message and the field, never the content. The format does not say
 * whether a tool failed, so every result reads as `succeeded`.
 */
export function readOpenAiChat(messages: unknown): readonly Message[] {
  if (!Array.isArray(messages)) throw invalid('messages', 'is no array');
  const read: Message[] = [];
  let open = new Map<string, ToolCallPart>();
  for (const [index, value] of messages.entries()) {
    const where = `messages[${index}]`;
    if (!isRecord(value)) throw invalid(where, 'is no object');
    if (value['role'] === 'tool') {
      addResult(read, readResult(where, value, open));
      continue;
    }
    const message = readMessage(where, index, value);
    open = new Map(message.role === 'assistant' ? callsById(message.content) : []);
    read.push(message);
  }
  return deepFreeze(read);
}

type JsonRecord = { readonly [key: string]: unknown };
type Spoken = Exclude<Message, { readonly role: 'tool' }>;

function readMessage(where: string, index: number, value: JsonRecord): Spoken {
  switch (value['role']) {
    case 'system':
      return { role: 'system', content: readText(`${where}.content`, value['content']) };
    case 'user':
      return { role: 'user', content: readUserContent(`${where}.content`, value['content']) };
    case 'assistant':
      return { role: 'assistant', content: readAssistantContent(where, index, value) };
    default:
      throw invalid(`${where}.role`, 'is none of system, user, assistant and tool');
  }
}

function readText(where: string, content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(where, 'is neither a string nor an array of parts');
  return content
    .map((part: unknown, index) => {
      if (isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string') {
        return part['text'];
      }
      throw invalid(`${where}[${index}]`, 'is no text part');
    })
    .join('');
}

function readUserContent(where: string, content: unknown): UserPart[] {
  if (!Array.isArray(content)) return [{ type: 'text', text: readText(where, content) }];
  return content.map((part: unknown, index) => readUserPart(`${where}[${index}]`, part));
}

function readUserPart(where: string, part: unknown): UserPart {
  if (!isRecord(part)) throw invalid(where, 'is no object');
  if (part['type'] === 'text' && typeof part['text'] === 'string') {
    return { type: 'text', text: part['text'] };
  }
  const image = part['image_url'];
  if (part['type'] === 'image_url' && isRecord(image) && typeof image['url'] === 'string') {
    return readImage(image['url']);
  }
  throw invalid(`${where}.type`, 'is neither a text nor an image_url part');
}

function readImage(url: string): UserPart {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return inline?.[1] === undefined || inline[2] === undefined
    ? { type: 'file', mediaType: 'image/*', url }
    : { type: 'file', mediaType: inline[1], data: inline[2] };
}

function readAssistantContent(where: string, index: number, value: JsonRecord): AssistantPart[] {
  const { content, refusal, tool_calls: calls } = value;
  const parts: AssistantPart[] = [];
  for (const [field, text] of Object.entries({ content, refusal })) {
    if (text === undefined || text === null) continue;
    const read = readText(`${where}.${field}`, text);
    if (read !== '') parts.push({ type: 'text', text: read });
  }
  if (calls === undefined || calls === null) return parts;
  if (!Array.isArray(calls)) throw invalid(`${where}.tool_calls`, 'is no array');
  for (const [at, call] of calls.entries()) {
    parts.push(readCall(`${where}.tool_calls[${at}]`, `${index}.${at}`, call));
  }
  return parts;
}

function readCall(where: string, callId: string, call: unknown): ToolCallPart {
  if (!isRecord(call)) throw invalid(where, 'is no object');
  const { id, function: called } = call;
  if (typeof id !== 'string') throw invalid(`${where}.id`, 'is no string');
  if (!isRecord(called)) throw invalid(`${where}.function`, 'is no object');
  const { name, arguments: text } = called;
  if (typeof name !== 'string') throw invalid(`${where}.function.name`, 'is no string');
  if (typeof text !== 'string') throw invalid(`${where}.function.arguments`, 'is no string');
  const part = { type: 'tool-call', callId, providerCallId: id, toolName: name } as const;
  const reading = readToolInput(text);
  if ('input' in reading) return { ...part, input: reading.input };
  return { ...part, input: text, malformed: reading.malformed };
}

function* callsById(content: readonly AssistantPart[]): Generator<[string, ToolCallPart]> {
  for (const part of content) if (part.type === 'tool-call') yield [part.providerCallId, part];
}

function readResult(
  where: string,
  value: JsonRecord,
  open: Map<string, ToolCallPart>,
): ToolResultPart {
  const id = value['tool_call_id'];
  const call = typeof id === 'string' ? open.get(id) : undefined;
  if (call === undefined) {
    throw invalid(`${where}.tool_call_id`, 'belongs to no call directly before it');
  }
  open.delete(call.providerCallId);
  const { callId, providerCallId, toolName } = call;
  const output = readText(`${where}.content`, value['content']);
  return {
    type: 'tool-result',
    callId,
    providerCallId,
    toolName,
    outcome: 'succeeded',
    isError: false,
    output,
  };
}

/** The format has one message per result; ours has one per batch. */
function addResult(read: Message[], result: ToolResultPart): void {
  const last = read.at(-1);
  if (last?.role !== 'tool') read.push({ role: 'tool', content: [result] });
  else read[read.length - 1] = { role: 'tool', content: [...last.content, result] };
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(where: string, what: string): ConfigError {
  return new ConfigError('invalid-input', {
    where: `OpenAI chat, ${where}`,
    what,
    fix: 'Correct the transcript, or leave this part of it out',
  });
}
