import { ConfigError } from '../errors/config-error.ts';
import { kindOf } from '../internal/kind-of.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import { textOf } from '../protocol/read-content.ts';
import { checkKnown } from './check-options.ts';

/** What of the conversation a tool is given. */
export interface TranscriptOptions {
  /** How many messages at most, the newest. From 1; default 200. */
  readonly maxMessages?: number;
  /** True for one text with a line for each message, in the place of a list. Default: false. */
  readonly text?: boolean;
}

/** Locks an argument to the conversation. Made by `transcript`. */
export interface TranscriptLock {
  readonly [TRANSCRIPT]: true;
  readonly maxMessages: number;
  readonly text: boolean;
}

/** The same in every copy of the package. */
const TRANSCRIPT: unique symbol = Symbol.for('agent-hooks.transcript');

/** 32 KiB of what the tool is given, in UTF-8. */
const MAX_BYTES: number = 32 * 1024;

const DEFAULT_MESSAGES = 200;

/**
 * The value of a locked argument that is the conversation so far: `{ role, content }` of what the user and the assistant
 * said, oldest first. Never more than 32 KiB, of which the newest message is always there and whole. Calls, their
 * results, thoughts and files are not in it, nor what a compaction has put a summary in the place of. Read anew when the
 * call runs. Throws `ConfigError`.
 *
 * @example
 * tool({ name: 'hand_over', locked: { history: transcript({ maxMessages: 50 }) }, ... })
 */
export function transcript(options: TranscriptOptions = {}): TranscriptLock {
  const where = 'transcript()';
  if (typeof options !== 'object' || options === null)
    throw invalid(`it was given ${kindOf(options)}`, 'Pass options, or nothing');
  checkKnown(where, Object.keys(options), ['maxMessages', 'text']);
  const { maxMessages = DEFAULT_MESSAGES, text = false } = options;
  if (!Number.isSafeInteger(maxMessages) || maxMessages < 1)
    throw invalid('`maxMessages` is no whole number from 1', 'Set it to 1 or more');
  if (typeof text !== 'boolean') throw invalid('`text` is not true or false', 'Set it to one');
  return Object.freeze({ [TRANSCRIPT]: true as const, maxMessages, text });

  function invalid(what: string, fix: string): ConfigError {
    return new ConfigError('invalid-tool', { where, what, fix });
  }
}

export function isTranscript(value: unknown): value is TranscriptLock {
  return typeof value === 'object' && value !== null && TRANSCRIPT in value;
}

/** The messages of a thread as a process knows them; those before `from` are not said by anybody. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly from: number;
}

/** What an argument that is locked to the conversation holds. Frozen. Looks at no more messages than it may hold. */
export function transcriptOf(
  { messages, from }: Conversation,
  { maxMessages, text }: { readonly maxMessages: number; readonly text: boolean },
): JsonValue {
  const entries: { readonly role: string; readonly content: string }[] = [];
  // Each brings a separator with it, one more than there are; a list has brackets.
  const around = text ? -1 : 1;
  let bytes = 0;
  for (let index = messages.length - 1; index >= from; index -= 1) {
    const message = messages[index] as Message; // the loop stays between the two ends
    const content = message.role === 'user' || message.role === 'assistant' ? textOf(message) : '';
    if (content === '') continue;
    const entry = Object.freeze({ role: message.role, content });
    const written = text ? lineOf(entry) : JSON.stringify(entry);
    bytes += Buffer.byteLength(written) + 1;
    if (entries.length > 0 && bytes + around > MAX_BYTES) break;
    entries.push(entry);
    if (entries.length === maxMessages) break;
  }
  const oldestFirst = entries.reverse();
  return text ? oldestFirst.map(lineOf).join('\n') : Object.freeze(oldestFirst);
}

function lineOf({ role, content }: { readonly role: string; readonly content: string }): string {
  return `${role}: ${content}`;
}
