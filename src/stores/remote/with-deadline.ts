/** The time given to a request is over. Told to the app as a store error with the code `store-timeout`. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * The answer, or a `DeadlineError` after `ms`. `late` is given an answer that comes afterwards; a late failure is
 * dropped.
 */
export function withDeadline<T>(
  answer: PromiseLike<T>,
  ms: number,
  late: (value: T) => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      reject(new DeadlineError(`no answer within ${Math.ceil(ms)} ms`));
    }, ms);
    answer.then(
      (value) => {
        if (isOver) return late(value);
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
