import { isThenable } from '../internal/is-thenable.ts';
import { kindOf } from '../internal/kind-of.ts';
import { ModelError } from './model-error.ts';

/**
 * What the `stream` of a model gave, which may be anybody's. Throws a `ModelError` with code `invalid-response` where that
 * is no stream. What then comes of a promise has nobody to hear it.
 */
export function requireStream<Part>(
  given: AsyncIterable<Part>,
  { id }: { readonly id: string },
): AsyncIterable<Part> {
  if (isStream(given)) return given;
  const isPromise = isThenable(given);
  if (isPromise) new Promise((resolve) => resolve(given)).catch(() => undefined);
  throw new ModelError('invalid-response', {
    where: `model '${id}'`,
    what: `its \`stream\` gave ${isPromise ? 'a promise' : kindOf(given)} in place of an async iterable`,
    fix: 'Make it an async generator, as in `async *stream(request, options) { … }`',
  });
}

function isStream(given: unknown): boolean {
  return typeof Reflect.get(Object(given), Symbol.asyncIterator) === 'function';
}
