import type { JsonValue } from './json.ts';

/**
 * True for a result by which a tool says itself that it did not work: an `error` or a `refused` with text in it, or
 * `ok` that is `false`. `error: null` and an empty text are no error. For whoever shows results to a model.
 */
export function reportsError(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  return (
    hasText(own(result, 'error')) || hasText(own(result, 'refused')) || own(result, 'ok') === false
  );
}

/**
 * Whether the model is to be asked again after a result that it has read. Not when required arguments were missing
 * and the answer that made the call had text for the user (`spoke`): it has asked, and the user is next. An adapter
 * that cannot tell whether it spoke says `false`, and the model replies. After several results, it is asked again as
 * soon as one of them wants it.
 */
export function repliesTo(result: unknown, { spoke }: { readonly spoke: boolean }): boolean {
  if (!spoke || typeof result !== 'object' || result === null) return true;
  const missing = own(result, 'missing');
  return !(hasText(own(result, 'refused')) && Array.isArray(missing) && missing.length > 0);
}

/** What a failed call told, as text; empty for a result that is none. */
export function failureText(output: JsonValue): string {
  if (typeof output === 'string') return output;
  if (typeof output !== 'object' || output === null) return '';
  const text = own(output, 'error') ?? own(output, 'refused');
  return typeof text === 'string' ? text : '';
}

/** A key of a model or a tool must not reach a prototype. */
function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
