import { failureOutput } from '../../errors/tool-failure.ts';
import { deepFreeze } from '../../internal/deep-freeze.ts';
import { isJson } from '../../internal/is-json.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type {
  AssistantPart,
  FilePart,
  Message,
  ToolCallPart,
  ToolOutcome,
  ToolResultPart,
  UserPart,
} from '../../protocol/message.ts';
import { isRecord, unreadable } from './unreadable.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Reads `ModelMessage`s of the AI SDK, version 5 and later, and the `CoreMessage`s of version 4 with their `args` and
 * `result`. Requests for an approval and their answers are left out: what came of the call says the same.
 */
export function readAiSdkMessages(values: readonly unknown[]): readonly Message[] {
  const read: Message[] = [];
  let open = new Map<string, ToolCallPart>();
  for (const [index, value] of values.entries()) {
    const where = `messages[${index}]`;
    if (!isRecord(value)) throw unreadable(where, 'is no object');
    const { role, content } = value;
    if (role === 'tool') {
      const results = readResults(where, content, open);
      if (results.length > 0) addResults(read, results);
      continue;
    }
    if (role === 'assistant') {
      const { parts, results } = readAssistant(where, index, content);
      open = new Map(callsOf(parts).map((call) => [call.providerCallId, call]));
      read.push({ role, content: parts });
      // What the provider ran itself is answered within the same message.
      if (results.length > 0)
        addResults(
          read,
          results.map((one) => readResult(where, one, open)),
        );
      continue;
    }
    open = new Map();
    read.push(readSpoken(where, role, content));
  }
  return deepFreeze(read);
}

function readSpoken(where: string, role: unknown, content: unknown): Message {
  if (role === 'system') {
    if (typeof content !== 'string') throw unreadable(`${where}.content`, 'is no string');
    return { role, content };
  }
  if (role !== 'user') {
    throw unreadable(`${where}.role`, 'is none of system, user, assistant and tool');
  }
  if (typeof content === 'string') return { role, content: [{ type: 'text', text: content }] };
  const parts = listOf(where, content).map((part, at): UserPart => {
    const place = `${where}.content[${at}]`;
    return textOf(part) ?? fileOf(place, part);
  });
  return { role, content: parts };
}

function readAssistant(
  where: string,
  index: number,
  content: unknown,
): { readonly parts: readonly AssistantPart[]; readonly results: readonly JsonRecord[] } {
  if (typeof content === 'string') {
    return { parts: content === '' ? [] : [{ type: 'text', text: content }], results: [] };
  }
  const parts: AssistantPart[] = [];
  const results: JsonRecord[] = [];
  let calls = 0;
  for (const [at, part] of listOf(where, content).entries()) {
    const place = `${where}.content[${at}]`;
    const text = textOf(part);
    if (text !== undefined) parts.push(text);
    else if (part['type'] === 'reasoning') {
      if (typeof part['text'] === 'string') parts.push({ type: 'reasoning', text: part['text'] });
    } else if (part['type'] === 'tool-call') {
      parts.push(readCall(place, `${index}.${calls}`, part));
      calls += 1;
    } else if (part['type'] === 'tool-result') results.push(part);
    else if (part['type'] !== 'tool-approval-request') parts.push(fileOf(place, part));
  }
  return { parts, results };
}

function readCall(where: string, callId: string, part: JsonRecord): ToolCallPart {
  const { toolCallId, toolName, input = part['args'] } = part;
  if (typeof toolCallId !== 'string') throw unreadable(`${where}.toolCallId`, 'is no string');
  if (typeof toolName !== 'string') throw unreadable(`${where}.toolName`, 'is no string');
  const call = { type: 'tool-call', callId, providerCallId: toolCallId, toolName } as const;
  if (isRecord(input) && isJson(input)) return { ...call, input: input as JsonValue };
  // What the SDK could not read as arguments it keeps as the text that the model wrote.
  const text = typeof input === 'string' ? input : JSON.stringify(jsonOf(`${where}.input`, input));
  return { ...call, input: text, malformed: 'the arguments are not a JSON object' };
}

function readResults(
  where: string,
  content: unknown,
  open: Map<string, ToolCallPart>,
): readonly ToolResultPart[] {
  return listOf(where, content).flatMap((part, at) => {
    if (part['type'] === 'tool-approval-response') return [];
    return readResult(`${where}.content[${at}]`, part, open);
  });
}

function readResult(
  where: string,
  part: JsonRecord,
  open: Map<string, ToolCallPart>,
): ToolResultPart {
  const id = part['toolCallId'];
  const call = typeof id === 'string' ? open.get(id) : undefined;
  if (call === undefined) throw unreadable(where, 'is a result of no call directly before it');
  open.delete(call.providerCallId);
  const { callId, providerCallId, toolName } = call;
  const { outcome, output } = readOutput(where, part);
  const isError = outcome !== 'succeeded';
  return { type: 'tool-result', callId, providerCallId, toolName, outcome, isError, output };
}

function readOutput(
  where: string,
  part: JsonRecord,
): { readonly outcome: ToolOutcome; readonly output: JsonValue } {
  const { output } = part;
  if (!('output' in part)) {
    const result = jsonOf(`${where}.result`, part['result']);
    return part['isError'] === true ? failed(result) : { outcome: 'succeeded', output: result };
  }
  if (!isRecord(output)) throw unreadable(`${where}.output`, 'is no object');
  const value = jsonOf(`${where}.output.value`, output['value'] ?? output['reason']);
  switch (output['type']) {
    case 'text':
    case 'json':
    case 'content':
      return { outcome: 'succeeded', output: value };
    case 'error-text':
    case 'error-json':
      return failed(value);
    case 'execution-denied':
      return { outcome: 'denied', output: `Not approved: ${textFor(value)}` };
    default:
      throw unreadable(`${where}.output.type`, 'is no kind of output');
  }
}

/** As the engine tells a model of a failure, so that the same failure reads the same. */
function failed(value: JsonValue): { readonly outcome: ToolOutcome; readonly output: JsonValue } {
  return { outcome: 'failed', output: failureOutput(textFor(value)) };
}

function textFor(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonOf(where: string, value: unknown): JsonValue {
  if (value === undefined) return null;
  if (!isJson(value)) throw unreadable(where, 'is no JSON, or nested too deeply, or too large');
  return value as JsonValue; // It is, by the check above.
}

function textOf(part: JsonRecord): { readonly type: 'text'; readonly text: string } | undefined {
  const { type, text } = part;
  return type === 'text' && typeof text === 'string' ? { type, text } : undefined;
}

/** An image or a file, by address or by content. */
function fileOf(where: string, part: JsonRecord): FilePart {
  const { type, filename } = part;
  const data = part['data'] ?? part['image'] ?? part['url'];
  if (type !== 'file' && type !== 'image') throw unreadable(`${where}.type`, 'is no known part');
  const fallback = type === 'image' ? 'image/*' : 'application/octet-stream';
  const given = part['mediaType'] ?? part['mimeType'];
  const mediaType = typeof given === 'string' && given !== '' ? given : fallback;
  const named = typeof filename === 'string' ? { filename } : {};
  if (typeof data !== 'string') throw unreadable(where, 'is a file without data');
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(data);
  return isAddress
    ? { type: 'file', mediaType, url: data, ...named }
    : { type: 'file', mediaType, data, ...named };
}

function callsOf(parts: readonly AssistantPart[]): readonly ToolCallPart[] {
  return parts.flatMap((part) => (part.type === 'tool-call' ? part : []));
}

function listOf(where: string, content: unknown): readonly JsonRecord[] {
  if (!Array.isArray(content)) throw unreadable(`${where}.content`, 'is no array of parts');
  const stray = content.findIndex((part) => !isRecord(part));
  if (stray !== -1) throw unreadable(`${where}.content[${stray}]`, 'is no object');
  return content;
}

/** Results may come in one message or in several; here a batch has one. */
function addResults(read: Message[], results: readonly ToolResultPart[]): void {
  const last = read.at(-1);
  if (last?.role !== 'tool') read.push({ role: 'tool', content: results });
  else read[read.length - 1] = { role: 'tool', content: [...last.content, ...results] };
}
