import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { MAX_JSON_DEPTH } from '../internal/json-limits.ts';
import { toJson } from '../internal/to-json.ts';
import { unsafeKey } from '../internal/unsafe-key.ts';
import type { JsonObject } from './json.ts';

/**
 * Reads the arguments a model wrote. Blank text is `{}`. Text that is no JSON object is malformed: it is
 * answered as an error, and never repaired, because a repaired call is one nobody asked for.
 */
export function readToolInput(
  inputText: string,
): { readonly input: JsonObject } | { readonly malformed: string } {
  if (inputText.trim() === '') return { input: EMPTY };
  let value: unknown;
  try {
    value = JSON.parse(inputText);
  } catch {
    return { malformed: 'the arguments are not complete JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { malformed: 'the arguments are not a JSON object' };
  }
  // What was parsed is JSON already, but for what only shows when it is written as such.
  const isClean = inputText.isWellFormed() && !SUSPECT.test(inputText);
  if (!isClean || inputText.length > MAX_JSON_DEPTH) {
    if (!isJson(value)) return { malformed: 'the arguments are nested too deeply' };
    const key = unsafeKey(value);
    if (key !== undefined)
      return { malformed: `the arguments hold the key '${key}', which no tool accepts` };
  }
  return { input: deepFreeze((isClean ? value : toJson(value)) as JsonObject) };
}

/** A key that reaches a prototype, or an escape that may hide one or stand for half a character. */
const SUSPECT = /__proto__|constructor|\\u/;

const EMPTY: JsonObject = Object.freeze({});
