import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { isJson } from '../internal/is-json.ts';
import type { UserMessage } from '../protocol/message.ts';
import { parseUserMessage } from '../protocol/message-schema.ts';

const CONTEXT_KEYS = ['context', 'sender', 'channel', 'session', 'signal'];

/** What one kind of call takes beside the context, which every call may be given. */
export interface InputKeys {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** Refuses what a call of the agent was given wrong, before a thread is touched. */
export function checkRunInput(where: string, input: unknown, keys: InputKeys): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(where, 'it was called without an object', howToCall(keys));
  }
  checkKeys(where, input, [...keys.required, ...keys.optional, ...CONTEXT_KEYS]);
  for (const key of ['sender', 'channel', 'session']) {
    const value: unknown = Reflect.get(input, key);
    if (value !== undefined && !isJson(value)) {
      throw invalid(
        where,
        `\`${key}\` is not plain JSON`,
        'Pass JSON there, and anything else as `context`',
      );
    }
  }
  const signal: unknown = Reflect.get(input, 'signal');
  if (signal !== undefined && !isSignal(signal)) {
    throw invalid(where, '`signal` is no AbortSignal', 'Pass `controller.signal`');
  }
}

function howToCall({ required, optional }: InputKeys): string {
  const others = [...optional, ...CONTEXT_KEYS].join(', ');
  const needed = required.length === 0 ? 'an object, or nothing' : `{ ${required.join(', ')} }`;
  return `Pass ${needed}. It may also hold: ${others}`;
}

/** Reads the user's message, or says what is wrong with it. */
export function readMessage(where: string, value: unknown): UserMessage {
  const read = parseUserMessage(value);
  if ('message' in read && !isEmpty(read.message)) return read.message;
  const problem = 'problem' in read ? read.problem : 'it is empty';
  throw new ConfigError('invalid-input', {
    where,
    what: value === undefined ? '`message` is missing' : `\`message\` is no message: ${problem}`,
    fix: "Pass a text, or `{ role: 'user', content: [...] }`",
  });
}

export function checkThreadId(where: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= 500 && value.isWellFormed())
    return value;
  throw new ConfigError('invalid-input', {
    where,
    what: '`threadId` is no usable id',
    fix: 'Pass a string of 1 to 500 characters',
  });
}

/** A text of nothing says nothing that a policy could be asked about. */
function isEmpty(message: UserMessage): boolean {
  return message.content.every((part) => part.type === 'text' && part.text === '');
}

function isSignal(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'aborted') === 'boolean' &&
    typeof Reflect.get(value, 'addEventListener') === 'function'
  );
}

function invalid(where: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-input', { where, what, fix });
}
