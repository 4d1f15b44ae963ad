import type { CancelScope } from '../internal/cancel-scope.ts';

/** Waits for `promise`, which never rejects, or for the cancel: `undefined` then, whatever the promise does later. */
export function untilCancelled<T>(
  promise: Promise<T>,
  cancel: CancelScope,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const stop = cancel.onCancel(() => resolve(undefined));
    void promise.then((value) => {
      stop();
      resolve(value);
    });
  });
}
