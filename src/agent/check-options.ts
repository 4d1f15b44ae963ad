import { ConfigError } from '../errors/config-error.ts';
import { nearestName } from '../internal/nearest-name.ts';
import type { UserMessage } from '../protocol/message.ts';
import { parseUserMessage } from '../protocol/message-schema.ts';
import type { AgentOptions } from './agent-options.ts';

const KNOWN = {
  name: isText,
  model: isModel,
  instructions: isString,
  tools: Array.isArray,
  hooks: (value: unknown) => Array.isArray(value) || typeof value === 'function',
  store: isStore,
  settings: isObject,
  limits: isObject,
  maxResponseRetries: isCount,
  resetStreakOn: oneOf('accept', 'user-message'),
  streaming: oneOf('hold', 'window', 'live'),
  fallbacks: isObject,
  hookTimeouts: oneOf('default', 'voice'),
  onBusy: oneOf('reject', 'queue', 'interrupt'),
  stateSchema: isObject,
  maxParallelTools: isCount,
  cancelGraceMs: isMilliseconds,
  leaseMs: isMilliseconds,
  counters: isObject,
} satisfies Record<keyof AgentOptions, (value: unknown) => boolean>;

const EXPECTED: { readonly [option in keyof AgentOptions]?: string } = {
  name: 'a name that is not empty',
  model: 'a ChatModel, with `id`, `generate` and `stream`',
  tools: 'a list of tools made with `tool()`',
  hooks: 'a list of policies, or a function that gives one for a thread',
  store: 'a ThreadStore',
  maxResponseRetries: 'a whole number from 1',
  maxParallelTools: 'a whole number from 1',
  resetStreakOn: "'accept' or 'user-message'",
  streaming: "'hold' or 'live'",
  hookTimeouts: "'default' or 'voice'",
  onBusy: "'reject'",
};

/** Refuses what `createAgent` was given wrong, before anything is built. */
export function checkAgentOptions(options: unknown): void {
  if (!isObject(options)) {
    throw new ConfigError('invalid-option', {
      where: 'createAgent',
      what: 'it was called without an object of options',
      fix: 'Pass at least `name` and `model`',
    });
  }
  checkKeys('createAgent', options, Object.keys(KNOWN));
  for (const [option, isValid] of Object.entries(KNOWN)) {
    const value: unknown = Reflect.get(options, option);
    const isRequired = option === 'name' || option === 'model';
    if (value === undefined && !isRequired) continue;
    if (!isValid(value)) throw invalid(option);
  }
  checkNumbers(options);
  refuseUnenforced(options);
}

const UNENFORCED: readonly (readonly [option: string, values: readonly unknown[] | 'any'])[] = [
  ['streaming', ['window']],
  ['onBusy', ['queue', 'interrupt']],
  ['stateSchema', 'any'],
];

/** What the types name and this version does not do is refused: silence would be taken for a guarantee. */
function refuseUnenforced(options: object): void {
  for (const [option, values] of UNENFORCED) {
    const value: unknown = Reflect.get(options, option);
    if (value === undefined || (values !== 'any' && !values.includes(value))) continue;
    throw new ConfigError('not-enforced', {
      where: 'createAgent',
      what: `this version does nothing with \`${option}${values === 'any' ? '' : `: '${value}'`}\` yet`,
      fix: 'Leave it out',
    });
  }
}

/** Refuses keys nobody knows, with the nearest known one: a misspelled option must not be a missing one. */
export function checkKeys(where: string, given: object, known: readonly string[]): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const nearest = nearestName(key, known);
    throw new ConfigError('unknown-option', {
      where,
      what: `there is no option '${key}'`,
      fix:
        nearest === undefined
          ? `The options are: ${known.join(', ')}`
          : `Did you mean '${nearest}'?`,
    });
  }
}

/** Reads the user's message, or says what is wrong with it. */
export function readMessage(where: string, value: unknown): UserMessage {
  const read = parseUserMessage(value);
  if ('message' in read && read.message.content.length > 0) return read.message;
  throw new ConfigError('invalid-input', {
    where,
    what: `\`message\` ${'problem' in read ? read.problem : 'is empty'}`,
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

function checkNumbers(options: object): void {
  const limits: unknown = Reflect.get(options, 'limits');
  if (!isObject(limits)) return;
  checkKeys('createAgent: limits', limits, ['steps', 'tokens', 'wallTimeMs', 'thread']);
  const { thread, ...own } = limits as { readonly thread?: unknown };
  const named = isObject(thread) ? { ...own, ...prefix(thread) } : own;
  if (thread !== undefined && !isObject(thread)) throw invalid('limits.thread');
  for (const [name, value] of Object.entries(named)) {
    if (value !== undefined && !isCount(value)) throw invalid(`limits.${name}`);
  }
}

function prefix(thread: object): object {
  checkKeys('createAgent: limits.thread', thread, ['steps', 'tokens']);
  return Object.fromEntries(
    Object.entries(thread).map(([name, value]) => [`thread.${name}`, value]),
  );
}

function invalid(option: string): ConfigError {
  const expected = Object.hasOwn(EXPECTED, option)
    ? EXPECTED[option as keyof AgentOptions]
    : undefined;
  return new ConfigError('invalid-option', {
    where: 'createAgent',
    what: `the option '${option}' has no usable value`,
    fix: `Pass ${expected ?? (option.startsWith('limits') ? 'a whole number from 1' : 'a value of the documented type')}`,
  });
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function isMilliseconds(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < 2 ** 31;
}

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && values.includes(value);
}

function isModel(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof Reflect.get(value, 'id') === 'string' &&
    typeof Reflect.get(value, 'generate') === 'function' &&
    typeof Reflect.get(value, 'stream') === 'function'
  );
}

function isStore(value: unknown): boolean {
  return (
    isObject(value) &&
    ['claim', 'load', 'commit'].every((name) => typeof Reflect.get(value, name) === 'function')
  );
}
