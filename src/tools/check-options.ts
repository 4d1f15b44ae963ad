import { ConfigError } from '../errors/config-error.ts';
import { kindOf } from '../internal/kind-of.ts';
import { nearestName } from '../internal/nearest-name.ts';
import { MAX_TIMER_MS } from '../internal/timer-limit.ts';
import { isOutputLimit } from '../protocol/shown-output.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const SIDE_EFFECTS: readonly unknown[] = ['none', 'idempotent', 'once'];
const INTERRUPTIONS: readonly unknown[] = ['provider_default', 'cancel', 'continue'];
const TIERS: readonly unknown[] = ['auto', 'confirm'];

/** What each option must be, for callers without types and for values that come from elsewhere. */
const RULES: Readonly<
  Record<string, { readonly accepts: (value: unknown) => boolean; readonly what: string }>
> = {
  name: { accepts: (value) => typeof value === 'string', what: 'a string' },
  description: { accepts: isOptional((value) => typeof value === 'string'), what: 'a string' },
  displayName: { accepts: isOptional((value) => typeof value === 'string'), what: 'a string' },
  inputSchema: { accepts: isSchema, what: 'a schema, such as `z.object({ ... })`' },
  outputSchema: { accepts: isOptional(isSchema), what: 'a schema, such as `z.object({ ... })`' },
  version: { accepts: isOptional((value) => typeof value === 'string'), what: 'a string' },
  sideEffects: {
    accepts: isOptional((value) => SIDE_EFFECTS.includes(value)),
    what: "'none', 'idempotent' or 'once'",
  },
  tier: { accepts: isOptional((value) => TIERS.includes(value)), what: "'auto' or 'confirm'" },
  parallel: { accepts: isOptional((value) => typeof value === 'boolean'), what: 'true or false' },
  maxConcurrent: {
    accepts: isOptional((value) => Number.isSafeInteger(value) && Number(value) >= 1),
    what: 'a whole number from 1',
  },
  timeoutMs: {
    accepts: isOptional((value) => typeof value === 'number' && value > 0 && value <= MAX_TIMER_MS),
    what: `a number of milliseconds above 0 and up to ${MAX_TIMER_MS}`,
  },
  interruption: {
    accepts: isOptional((value) => INTERRUPTIONS.includes(value)),
    what: "'provider_default', 'cancel' or 'continue'",
  },
  allowBlank: { accepts: isOptional(isNames), what: 'a list of names of arguments' },
  locked: { accepts: isOptional(isPlainObject), what: 'an object of values by argument' },
  hints: { accepts: isOptional(isPlainObject), what: 'an object of texts by name' },
  precheck: { accepts: isOptional((value) => typeof value === 'function'), what: 'a function' },
  showResult: { accepts: isOptional((value) => typeof value === 'boolean'), what: 'true or false' },
  hidden: { accepts: isOptional(isNames), what: 'a list of names of fields of the result' },
  resultInstructions: {
    accepts: isOptional((value) => typeof value === 'string'),
    what: 'a string',
  },
  endsConversation: {
    accepts: isOptional((value) => typeof value === 'boolean'),
    what: 'true or false',
  },
  goodbye: {
    accepts: isOptional((value) => typeof value === 'string' && value.trim() !== ''),
    what: 'a text',
  },
  announce: {
    accepts: isOptional((value) => typeof value === 'string' || isNames(value)),
    what: 'a line, or a list of lines',
  },
  announceWait: {
    accepts: isOptional((value) => typeof value === 'boolean'),
    what: 'true or false',
  },
  assign: { accepts: isOptional(Array.isArray), what: 'a list of `{ field, path }`' },
  replies: { accepts: isOptional(Array.isArray), what: 'a list of `{ when, state, say }`' },
  maxOutputBytes: {
    accepts: isOptional(isOutputLimit),
    what: 'a whole number of bytes from 1024, or `Infinity`',
  },
  untrusted: { accepts: isOptional((value) => typeof value === 'boolean'), what: 'true or false' },
  execute: { accepts: (value) => typeof value === 'function', what: 'a function' },
};

/** Every option of a tool. */
export const TOOL_OPTIONS: readonly string[] = Object.keys(RULES);

/** Throws `ConfigError` for a declaration that could not work, naming the tool and the option. */
export function checkToolOptions(options: object): void {
  if (typeof options !== 'object' || options === null) {
    throw invalid('tool()', `it was given ${kindOf(options)}`, 'Pass one object with the options');
  }
  const given = new Map<string, unknown>(Object.entries(options));
  const name = given.get('name');
  // A name of the wrong form is quoted too, cut: it is code of the caller, never an input.
  const where = typeof name === 'string' ? `tool '${name.slice(0, 80)}'` : 'tool()';
  checkKnown(where, [...given.keys()], Object.keys(RULES));
  for (const [option, rule] of Object.entries(RULES)) {
    const value = given.get(option);
    if (rule.accepts(value)) continue;
    const what =
      value === undefined ? `\`${option}\` is missing` : `\`${option}\` is not ${rule.what}`;
    throw invalid(where, what, `Set \`${option}\` to ${rule.what}`);
  }
  if (hasFields(given.get('hidden')) && given.get('outputSchema') === undefined) {
    throw invalid(
      where,
      '`hidden` names fields of a result whose schema is not known',
      'Name its output: set `outputSchema`',
    );
  }
  if (!NAME.test(String(name))) {
    throw invalid(
      where,
      'providers do not accept this name',
      'Use 1 to 64 letters, digits, `_` and `-`, and put the readable form into `displayName`',
    );
  }
}

/** Throws `ConfigError` for a name in an option that is not one of those that are declared. */
export function checkDeclared(
  option: { readonly toolName: string; readonly name: string; readonly of: string },
  given: readonly string[],
  declared: readonly string[],
): void {
  const stray = given.find((name) => !declared.includes(name));
  if (stray === undefined) return;
  const nearest = nearestName(stray, declared);
  throw invalid(
    `tool '${option.toolName}'`,
    `\`${option.name}\` names '${stray}', which is no ${option.of}`,
    nearest === undefined
      ? `Name some of: ${declared.join(', ') || '(there are none)'}`
      : `Did you mean '${nearest}'?`,
  );
}

/** Throws `ConfigError` for an option nobody knows, with the nearest one that is known. */
export function checkKnown(
  where: string,
  given: readonly string[],
  known: readonly string[],
): void {
  const stray = given.find((option) => !known.includes(option));
  if (stray === undefined) return;
  const nearest = nearestName(stray, known);
  throw new ConfigError('unknown-option', {
    where,
    what: `there is no option \`${stray}\``,
    fix:
      nearest === undefined
        ? `The options are ${known.join(', ')}`
        : `Did you mean \`${nearest}\`?`,
  });
}

function invalid(where: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-tool', { where, what, fix });
}

function isOptional(accepts: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || accepts(value);
}

function hasFields(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** Some libraries make their schemas functions. */
export function isSchema(value: unknown): boolean {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    '~standard' in value &&
    typeof value['~standard'] === 'object' &&
    value['~standard'] !== null &&
    'validate' in value['~standard']
  );
}
