import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { AssistantMessage, Message } from '../protocol/message.ts';
import { parseMessage } from '../protocol/message-schema.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import type { ModelRequest } from './port.ts';
import { readOpenAiChat } from './read-openai-chat.ts';
import { type ScriptedModel, type ScriptedResponse, scriptedModel } from './scripted.ts';

/** Where a conversation left the recorded one. Names the place, never the content. */
export interface Divergence {
  /** The model call, from 1. */
  readonly call: number;
  readonly what: string;
}

/** A scripted model that answers what was recorded, and knows what was recorded around it. */
export interface ReplayModel extends ScriptedModel {
  /** Recorded answers that were not asked for yet. */
  readonly remaining: number;
  /** The recorded messages between the last answer and the next one: what the next call should bring. */
  readonly expected: readonly Message[];
  /** The first call that brought something else; the recorded answers are given all the same. */
  readonly diverged: Divergence | undefined;
}

/**
 * Replays a recorded conversation: its assistant messages are the answers, in order, with zero usage. Takes
 * messages of this package or OpenAI chat JSON, and throws `ConfigError` with code `invalid-input` for
 * anything else. Each call's new messages are compared with the recorded ones: texts, and tool results by tool
 * and output. System messages are not, since prompts change without changing the conversation.
 */
export function replayModel(
  transcript: readonly unknown[],
  options: { readonly id?: string } = {},
): ReplayModel {
  checkKeys('replayModel', options, ['id']);
  const turns = splitTurns(readTranscript(transcript));
  let diverged: Divergence | undefined;
  const entries = turns.map(({ before, answer }, index) => (request: ModelRequest) => {
    const what = difference(before, newMessages(request.messages));
    if (what !== undefined) diverged ??= { call: index + 1, what };
    return toAnswer(answer);
  });
  // What was recorded of an answer with a schema is its text, however the model gave it.
  const capabilities = { outputSchema: true };
  const model = scriptedModel(entries, { id: options.id ?? 'replay', capabilities });
  return Object.defineProperties(model, {
    remaining: { get: () => Math.max(0, turns.length - model.calls) },
    expected: { get: () => turns[model.calls]?.before ?? [] },
    diverged: { get: () => diverged },
  }) as ReplayModel; // The three properties that were just defined.
}

function readTranscript(transcript: readonly unknown[]): readonly Message[] {
  const read = transcript.map(parseMessage);
  if (read.every((one) => 'message' in one)) return read.map((one) => one.message);
  const native = transcript.some(isNative);
  if (!native) return readOpenAiChat(transcript);
  const index = read.findIndex((one) => 'problem' in one);
  throw new ConfigError('invalid-input', {
    where: `transcript[${index}]`,
    what: 'it is no message of this package, although others are',
    fix: 'Correct the message; the formats cannot be mixed in one transcript',
  });
}

/** Only ours have these parts; a message of texts alone reads the same in both formats. */
function isNative(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('content' in value)) return false;
  const { content } = value;
  const types: readonly unknown[] = ['tool-call', 'tool-result', 'reasoning', 'file'];
  return Array.isArray(content) && content.some((part) => types.includes(part?.type));
}

interface RecordedTurn {
  readonly before: readonly Message[];
  readonly answer: AssistantMessage;
}

function splitTurns(messages: readonly Message[]): RecordedTurn[] {
  const turns: RecordedTurn[] = [];
  let before: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      turns.push({ before, answer: message });
      before = [];
    } else if (message.role !== 'system') {
      before.push(message);
    }
  }
  return turns;
}

function newMessages(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return messages.slice(last + 1).filter((message) => message.role !== 'system');
}

function difference(recorded: readonly Message[], given: readonly Message[]): string | undefined {
  if (recorded.length !== given.length) {
    return `${given.length} new messages instead of ${recorded.length}`;
  }
  const index = recorded.findIndex((message, at) => !sameContent(message, given[at]));
  return index === -1 ? undefined : `new message ${index + 1} is not the recorded one`;
}

function sameContent(a: Message, b: Message | undefined): boolean {
  return jsonEqual(essence(a), b === undefined ? undefined : essence(b));
}

/** What a provider would see, without ids and without what only one of the two formats records. */
function essence(message: Message): JsonValue {
  if (message.role !== 'tool') return { role: message.role, content: contentOf(message) };
  return {
    role: 'tool',
    content: message.content.map(({ toolName, output }) => [toolName, asText(output)]),
  };
}

function contentOf({ content }: Exclude<Message, { readonly role: 'tool' }>): JsonValue {
  return typeof content === 'string' ? content : content.map((part) => ({ ...part }));
}

function asText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function toAnswer(message: AssistantMessage): ScriptedResponse {
  const texts = message.content.filter((part) => part.type === 'text');
  const reasoning = message.content.filter((part) => part.type === 'reasoning');
  const calls = message.content.filter((part) => part.type === 'tool-call');
  return {
    ...(texts.length > 0 && { text: texts.map((part) => part.text).join('') }),
    ...(reasoning.length > 0 && { reasoning: reasoning.map((part) => part.text).join('') }),
    toolCalls: calls.map(({ toolName, providerCallId, input, malformed }) => ({
      name: toolName,
      id: providerCallId,
      // What could not be read was kept as the text it was.
      inputText: malformed !== undefined ? String(input) : JSON.stringify(input),
    })),
    usage: NO_USAGE,
  };
}
