import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { placeholdersIn } from '../protocol/template.ts';
import { propertyNames } from './check-arguments.ts';
import type { Lock, LockPath, LockSource, ToolLocks } from './lock-port.ts';
import { faulty, nearestOf, type RulePlace } from './result-rules.ts';
import { propertiesOf, typeOf } from './schema-at.ts';
import { misfitOf } from './schema-fits.ts';
import { isTranscript, type TranscriptLock } from './transcript.ts';

/**
 * What an argument is locked to: a text with `{{placeholders}}`, the conversation, or a value of plain JSON. A text that
 * is one placeholder and nothing else keeps the type of its value.
 */
export type LockedValue = JsonValue | TranscriptLock;

/** The locks of a tool, as they are declared. */
export type ReadLocks = Pick<ToolLocks, 'names' | 'locks' | 'schema' | 'hints'>;

/** Reads the `locked` of a tool; nothing where it locks nothing. Throws `ConfigError` for what could never be filled. */
export function readLocks(
  toolName: string,
  { locked = {}, hints = {} }: { readonly locked?: object; readonly hints?: object },
  schema: JsonObject,
): ReadLocks | undefined {
  const place: RulePlace = { where: `tool '${toolName}'`, code: 'invalid-tool', option: 'locked' };
  const locks = Object.entries(locked).map(([name, value]): Lock => {
    const here = { ...place, option: `locked.${name.slice(0, 80)}` };
    const takes = argumentOf(here, name, schema);
    const lock = { name, source: sourceOf(here, value), takes };
    checkFit(here, lock, schema);
    return Object.freeze(lock);
  });
  const read = readHints({ ...place, option: 'hints' }, hints, locks);
  if (locks.length === 0) return undefined;
  const names = Object.freeze(locks.map(({ name }) => name));
  return { names, locks: Object.freeze(locks), schema, hints: read };
}

function argumentOf(place: RulePlace, name: string, schema: JsonObject): JsonObject {
  const known = propertyNames(schema) ?? [];
  if (!known.includes(name))
    throw faulty(place, '`inputSchema` names no such argument', nearestOf(name, known));
  return propertiesOf(schema)[name] as JsonObject; // Each property of a schema that was read is one.
}

function sourceOf(place: RulePlace, given: unknown): LockSource {
  if (isTranscript(given)) {
    const { maxMessages, text } = given;
    return { type: 'transcript', maxMessages, text };
  }
  if (typeof given === 'string') return readTemplate(place, given);
  if (!isJson(given) || given === undefined)
    throw faulty(place, 'it is no plain JSON', 'Pass plain JSON, a text or `transcript()`');
  if (given === null) throw faulty(place, 'it is null, which is no value', 'Leave it out');
  const value = deepFreeze(toJson(given));
  if (holdsPlaceholder(value)) {
    const what = 'it has a placeholder within an object or a list, where nothing is filled';
    throw faulty(place, what, 'Lock the argument to one value, and put it together in the state');
  }
  return { type: 'value', value };
}

function readTemplate(place: RulePlace, text: string): LockSource {
  const placeholders = placeholdersIn(text);
  const paths = placeholders.map(({ text: written, path }): LockPath => {
    if (path !== undefined) return path;
    throw faulty(place, `'{{${written.slice(0, 80)}}}' names nothing`, spelling(written));
  });
  const rest = text.replace(/\{\{[^{}]*\}\}/g, '');
  if (/\{\{|\}\}/.test(rest)) {
    const what = 'it has braces that belong to no placeholder';
    throw faulty(
      place,
      what,
      'Write placeholders as `{{field}}`, `{{field.key}}` or `{{session.key}}`',
    );
  }
  const [only] = paths;
  if (only === undefined) return { type: 'value', value: text };
  if (rest === '' && paths.length === 1) return { type: 'path', path: only };
  return { type: 'text', text, paths };
}

/** What may have been meant: others write facts with a sign before them, and their transcript as one of those. */
function spelling(written: string): string {
  const name = written.replace(/[^\p{L}\p{N}_.]/gu, '').replace(/^\.+|\.+$/g, '');
  if (/^transcript$/i.test(name)) return 'Lock it to `transcript()`';
  if (name === '' || /^\d/.test(name))
    return 'Name a value, as in `{{field}}` or `{{session.key}}`';
  const plain = name.slice(0, 80);
  return `Write \`{{session.${plain}}}\` for a fact of the run, or \`{{${plain}}}\` for a field of the state`;
}

function holdsPlaceholder(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => holdsPlaceholder(member ?? null));
}

/** What does not depend on an agent: whether the argument takes such a value at all. */
function checkFit(place: RulePlace, { name, source, takes }: Lock, root: JsonObject): void {
  const gives = givenBy(source);
  const misfit = gives && misfitOf({ schema: gives, root: gives }, { schema: takes, root });
  if (misfit === undefined) return;
  const target = [name, ...misfit.path].join('.');
  const what = `the argument '${target}' takes ${misfit.takes}, and this is ${misfit.gives}`;
  throw faulty(place, what, 'Lock it to a value that it takes');
}

function givenBy(source: LockSource): JsonObject | undefined {
  switch (source.type) {
    case 'path':
      return undefined;
    case 'text':
      return { type: 'string' };
    case 'value':
      return { type: typeOf(source.value), const: source.value };
    case 'transcript':
      return source.text ? { type: 'string' } : TRANSCRIPT_LIST;
  }
}

const TRANSCRIPT_LIST: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { role: { type: 'string' }, content: { type: 'string' } },
    required: ['role', 'content'],
  },
};

function readHints(
  place: RulePlace,
  hints: object,
  locks: readonly Lock[],
): ReadonlyMap<string, string> {
  const known = locks.flatMap(({ source }) => pathsOf(source).map((path) => path.join('.')));
  const read = new Map<string, string>();
  for (const [name, hint] of Object.entries(hints)) {
    const here = { ...place, option: `hints.${name.slice(0, 80)}` };
    if (!known.includes(name))
      throw faulty(here, 'no placeholder of `locked` has this name', nearestOf(name, known));
    if (typeof hint !== 'string' || hint.trim() === '')
      throw faulty(here, 'it is no text', 'Say how to get the value');
    read.set(name, hint.trim());
  }
  return read;
}

export function pathsOf(source: LockSource): readonly LockPath[] {
  if (source.type === 'path') return [source.path];
  return source.type === 'text' ? source.paths : [];
}
