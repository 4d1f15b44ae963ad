import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
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
  if (!isJson(value)) return { malformed: 'the arguments are nested too deeply' };
  const key = unsafeKey(value);
  if (key !== undefined)
    return { malformed: `the arguments hold the key '${key}', which no tool accepts` };
  // What was parsed is JSON already, but for keys and characters that only show when they are written as such.
  const isClean =
    inputText.isWellFormed() && !inputText.includes('\\u') && !inputText.includes('__proto__');
  return { input: deepFreeze((isClean ? value : toJson(value)) as JsonObject) };
}

const EMPTY: JsonObject = Object.freeze({});
