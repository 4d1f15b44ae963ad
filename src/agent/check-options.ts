import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { FallbackCause } from '../events/event.ts';
import { firstProblem, modelSettingsSchema } from '../protocol/message-schema.ts';
import { isOutputLimit } from '../protocol/shown-output.ts';
import type { AgentOptions } from './agent-options.ts';
import { checkBudgets } from './check-budgets.ts';
import { checkCompaction } from './check-compaction.ts';
import { isLanguage, isTimeZone } from './check-language.ts';
import { checkLimits } from './check-limits.ts';
import { checkNotes } from './check-notes.ts';
import { isModel } from './is-model.ts';
import { checkKnowledge } from './knowledge.ts';

const FALLBACK_CAUSES = Object.keys({
  'user-message': true,
  request: true,
  response: true,
  outgoing: true,
  'hook-failure': true,
  error: true,
  limit: true,
} satisfies Record<FallbackCause, true>);

/** A third of it is what a write, and a process that computes, may take before the claim is somebody else's. */
const MIN_LEASE_MS = 100;

const KNOWN = {
  name: isText,
  model: isModel,
  instructions: isString,
  tools: Array.isArray,
  assign: isObject,
  replies: Array.isArray,
  onLine: (value: unknown) => typeof value === 'function',
  lineWaitMs: isMilliseconds,
  language: isLanguage,
  timeZone: isTimeZone,
  knowledge: isObject,
  hooks: (value: unknown) => Array.isArray(value) || typeof value === 'function',
  store: isStore,
  settings: isObject,
  limits: isObject,
  budgets: Array.isArray,
  prices: isObject,
  unpriced: oneOf('stop', 'free'),
  maxResponseRetries: isCount,
  outputRetries: (value: unknown) => value === 0 || isCount(value),
  notes: Array.isArray,
  resetStreakOn: oneOf('accept', 'user-message'),
  streaming: oneOf('hold', 'window', 'live'),
  compaction: isObject,
  fallbacks: isObject,
  keepDiscarded: (value: unknown) => typeof value === 'boolean',
  hookTimeouts: oneOf('default', 'voice'),
  onBusy: oneOf('reject', 'queue', 'interrupt'),
  stateSchema: (value: unknown) => typeof value === 'object' && value !== null,
  maxOutputBytes: isOutputLimit,
  maxParallelTools: isCount,
  maxConcurrentTools: isCount,
  cancelGraceMs: isMilliseconds,
  leaseMs: (value: unknown) => isMilliseconds(value) && Number(value) >= MIN_LEASE_MS,
  counters: isObject,
} satisfies Record<keyof AgentOptions, (value: unknown) => boolean>;

const EXPECTED: { readonly [option in keyof AgentOptions]?: string } = {
  name: 'a name that is not empty',
  instructions: 'a text',
  model:
    'a ChatModel with `id`, `generate` and `stream`, such as `fromAiSdk(...)` or `scriptedModel([...])`',
  tools: 'a list of tools made with `tool()`',
  knowledge: 'a KnowledgeIndex, with `search`, or an object of options with `index`',
  budgets: 'a list of budgets, each with a `name`, a `key`, a `limit`, a `per` and a `reserve`',
  hooks: 'a list of policies, or a function that gives one for a thread',
  store: 'a ThreadStore',
  onLine: 'a function that is given a line',
  lineWaitMs: 'milliseconds from 0',
  leaseMs: `milliseconds from ${MIN_LEASE_MS}, as a claim is renewed three times in its length: a shorter one runs out while its run is busy`,
  language: 'the tag of a language, such as `es` or `en-GB`',
  timeZone: 'the name of a time zone, such as `Europe/Madrid`',
  maxResponseRetries: 'a whole number from 1',
  outputRetries: 'a whole number from 0',
  notes: 'a list of notes, each with a `name` and a function `text`',
  maxOutputBytes: 'a whole number of bytes from 1024, or `Infinity`',
  maxParallelTools: 'a whole number from 1',
  maxConcurrentTools: 'a whole number from 1',
  resetStreakOn: "'accept' or 'user-message'",
  streaming: "'hold', 'window' or 'live'",
  compaction: 'an object with at least `maxTokens`',
  hookTimeouts: "'default' or 'voice'",
  onBusy: "'reject', 'queue' or 'interrupt'",
  unpriced: "'stop' or 'free'",
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
  checkLimits(options);
  checkBudgets(options);
  checkCompaction(options);
  checkTexts(options);
  checkSettings(options);
  checkNotes(Reflect.get(options, 'notes'));
  if ('knowledge' in options && options.knowledge !== undefined) checkKnowledge(options.knowledge);
}

function checkTexts(options: object): void {
  const fallbacks: unknown = Reflect.get(options, 'fallbacks');
  if (!isObject(fallbacks)) return;
  checkKeys('createAgent: fallbacks', fallbacks, FALLBACK_CAUSES);
  for (const [cause, text] of Object.entries(fallbacks)) {
    if (text !== undefined && typeof text !== 'string') throw invalid(`fallbacks.${cause}`);
  }
}

function checkSettings(options: object): void {
  const settings: unknown = Reflect.get(options, 'settings');
  if (settings === undefined) return;
  const read = modelSettingsSchema().safeParse(settings);
  if (read.success) return;
  throw new ConfigError('invalid-option', {
    where: 'createAgent: settings',
    what: firstProblem(read.error),
    fix: 'The settings are temperature, topP, maxTokens, presencePenalty, frequencyPenalty, stop and seed',
  });
}

function invalid(option: string): ConfigError {
  const expected = Object.hasOwn(EXPECTED, option)
    ? EXPECTED[option as keyof AgentOptions]
    : undefined;
  return new ConfigError('invalid-option', {
    where: 'createAgent',
    what: `the option '${option}' has no usable value`,
    fix: `Pass ${expected ?? 'a value of the documented type'}`,
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

function isStore(value: unknown): boolean {
  return (
    isObject(value) &&
    ['claim', 'load', 'commit', 'readArtifact'].every(
      (name) => typeof Reflect.get(value, name) === 'function',
    )
  );
}
