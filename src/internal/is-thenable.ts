/** True for anything `await` would wait for, a promise of another realm included. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    // Read as `await` reads it: asking for the key first would cost as much again.
    typeof (value as { readonly then?: unknown }).then === 'function'
  );
}
