import type { JsonValue } from './json.ts';
import type { StateValues } from './state-values.ts';

/** What stands between two pairs of braces. */
export interface Placeholder {
  /** As it is written, without the braces. */
  readonly text: string;
  /** The field and the keys below it; absent for what cannot name any. */
  readonly path?: readonly [field: string, ...keys: string[]];
}

/** What the app says of a run, as placeholders begin that name it; `call` is what `session` is. */
export const FACT_ROOTS: readonly string[] = ['session', 'call', 'sender', 'channel'];

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PATH = /^[\p{L}_$][\p{L}\p{N}_$-]*(?:\.[\p{L}\p{N}_$-]+)*$/u;

/** Every placeholder of a text, in order. */
export function placeholdersIn(text: string): readonly Placeholder[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, inner = '']) => readPlaceholder(inner));
}

/**
 * Puts values in the place of placeholders, once: what a value holds is never filled. Text stays as it is, anything
 * else is written as JSON, and what is not set is empty. A placeholder that means no field stays as it is written.
 */
export function fillTemplate(
  text: string,
  values: StateValues,
  isField: (name: string) => boolean,
): string {
  if (!text.includes('{{')) return text;
  return text.replace(PLACEHOLDER, (written, inner: string) => {
    const { path } = readPlaceholder(inner);
    return path === undefined || !isField(path[0]) ? written : render(valueAt(values, path));
  });
}

/** Puts texts in the place of the placeholders, in order, once: what a text holds is never filled. */
export function fillPlaceholders(text: string, parts: readonly string[]): string {
  let next = 0;
  return text.replace(PLACEHOLDER, (written) => parts[next++] ?? written);
}

function readPlaceholder(inner: string): Placeholder {
  const text = inner.trim();
  if (!PATH.test(text)) return { text };
  return { text, path: text.split('.') as [string, ...string[]] }; // A split text has at least one part.
}

/** What a path leads to in a JSON value; never what every object inherits. */
export function valueAt(values: unknown, path: readonly string[]): JsonValue | undefined {
  let at: unknown = values;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    // The length of a list is its own, and no value of it.
    if (Array.isArray(at) && key === 'length') return undefined;
    at = Reflect.get(at, key);
  }
  return at as JsonValue | undefined; // What a JSON value holds is one.
}

function render(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
