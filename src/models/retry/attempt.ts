import type { ModelError } from '../../errors/model-error.ts';

/**
 * One attempt at an answer: a signal of its own, and a clock that runs only while somebody waits. Both the
 * cancel and the time limit end a wait at once, whatever the model does with its signal.
 */
export class Attempt {
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #failure: () => ModelError;
  readonly #limitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(parent: AbortSignal, limitMs: number, failure: () => ModelError) {
    this.#parent = parent;
    this.#limitMs = limitMs;
    this.#failure = failure;
    parent.throwIfAborted();
    parent.addEventListener('abort', this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  wait<Result>(work: PromiseLike<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      // Armed once and pushed back for every part: a timer for each would cost more than the part.
      if (this.#timer === undefined) this.#timer = setTimeout(this.#onSilence, this.#limitMs);
      else this.#timer.refresh();
      work.then(
        (result) => {
          this.#reject = undefined;
          resolve(result);
        },
        (error: unknown) => {
          this.#reject = undefined;
          reject(error);
        },
      );
    });
  }

  /** Lets go of the attempt. Aborts it unless it is through, so that its connection is closed. */
  close(isThrough: boolean): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#onAbort);
    if (!isThrough) this.#controller.abort();
  }

  readonly #onSilence = (): void => {
    // Nobody waits: the reader is slow, and not the model.
    if (this.#reject === undefined) return;
    this.#end(this.#failure());
  };

  readonly #onAbort = (): void => this.#end(this.#parent.reason);

  #end(reason: unknown): void {
    this.#reject?.(reason);
    this.#controller.abort(reason);
  }
}
