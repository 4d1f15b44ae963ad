import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { MAX_JSON_DEPTH } from '../internal/json-limits.ts';
import { toJson } from '../internal/to-json.ts';
import { unsafeKey } from '../internal/unsafe-key.ts';
import type { JsonObject } from './json.ts';

/**
 * Reads a JSON object that a model wrote, frozen. Whatever else the text is has a problem, which quotes nothing of it:
 * nothing is repaired, because what was repaired is something nobody said.
 */
export function readJsonObject(
  text: string,
): { readonly object: JsonObject } | { readonly problem: JsonProblem } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: { kind: 'incomplete' } };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: { kind: 'no-object' } };
  }
  // What was parsed is JSON already, but for what only shows when it is written as such.
  const isClean = text.isWellFormed() && !SUSPECT.test(text);
  if (!isClean || text.length > MAX_JSON_DEPTH) {
    if (!isJson(value)) return { problem: { kind: 'too-deep' } };
    const key = unsafeKey(value);
    if (key !== undefined) return { problem: { kind: 'unsafe-key', key } };
  }
  return { object: deepFreeze((isClean ? value : toJson(value)) as JsonObject) };
}

/** Why a text is no JSON object. Whoever read it has the words for it. */
export type JsonProblem =
  | { readonly kind: 'incomplete' | 'no-object' | 'too-deep' }
  | { readonly kind: 'unsafe-key'; readonly key: string };

/** A key that reaches a prototype, or an escape that may hide one or stand for half a character. */
const SUSPECT = /__proto__|constructor|\\u/;
