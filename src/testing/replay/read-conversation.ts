import { isJson } from '../../internal/is-json.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { readMessages } from './read-messages.ts';
import type { BrokenTranscript, RecordedTool, Transcript, TranscriptSource } from './transcript.ts';
import { isRecord } from './unreadable.ts';

const NO_APPROVALS: Transcript['approvals'] = new Map();

/**
 * Reads one conversation: an array of messages, or an object with `messages` and, where it has them, `id`, `system`
 * and `tools` as they stand in a request to OpenAI.
 */
export function readConversation(
  value: unknown,
  source: TranscriptSource,
): Transcript | BrokenTranscript {
  const given = Array.isArray(value) ? { messages: value } : value;
  if (!isRecord(given)) return broken(source, 'is neither an object nor an array of messages');
  const id = idOf(given);
  const { messages, system, tools } = given;
  if (!Array.isArray(messages)) return broken(source, whyNone(given), id);
  const instructed = typeof system === 'string' && system !== '';
  const all = instructed ? [{ role: 'system', content: system }, ...messages] : messages;
  const read = readMessages(all);
  if ('problem' in read) return broken(source, read.problem, id);
  if (read.messages.length === 0) return broken(source, 'holds no message', id);
  return {
    type: 'transcript',
    id: id ?? nameOf(source),
    source,
    messages: read.messages,
    tools: Array.isArray(tools) ? tools.flatMap(readTool) : [],
    approvals: NO_APPROVALS,
  };
}

export function broken(source: TranscriptSource, problem: string, id?: string): BrokenTranscript {
  return { type: 'broken', ...(id !== undefined && { id }), source, problem };
}

function whyNone(given: Readonly<Record<string, unknown>>): string {
  return 'role' in given
    ? 'is one message: put the messages of a conversation into one array'
    : 'has no array `messages`';
}

function idOf(given: Readonly<Record<string, unknown>>): string | undefined {
  const id = given['id'] ?? given['threadId'];
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && isUsable(text) ? text : undefined;
}

/** What `run` takes as the id of a thread. */
function isUsable(id: string): boolean {
  return id !== '' && id.length <= 500 && id.isWellFormed();
}

/** What a conversation without an id is called. */
export function nameOf({ file, line }: TranscriptSource): string {
  const name = file.split(/[\\/]/).at(-1) ?? file;
  return `${name.slice(-400).toWellFormed()}${line === undefined ? '' : `:${line}`}`;
}

/** As in a request to OpenAI, in both of its shapes. What is none is left out: the calls tell what tools there were. */
function readTool(value: unknown): RecordedTool[] {
  if (!isRecord(value)) return [];
  const about = isRecord(value['function']) ? value['function'] : value;
  const { name, description, parameters } = about;
  if (typeof name !== 'string' || !isRecord(parameters) || !isJson(parameters)) return [];
  const inputSchema = parameters as JsonObject; // It is one, by the checks above.
  return [{ name, description: typeof description === 'string' ? description : name, inputSchema }];
}
