import { SafeHttpError } from './safe-http-error.ts';

/** One limit over everything that is done for one delivery, and the caller's cancel with it. `close` it in the end. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #source: AbortSignal | undefined;

  constructor(timeoutMs: number, source?: AbortSignal) {
    this.#source = source;
    this.#timer = setTimeout(() => this.#end(timedOut(timeoutMs)), timeoutMs);
    if (source?.aborted === true) this.#onCancel();
    else source?.addEventListener('abort', this.#onCancel);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What ended it. */
  get error(): SafeHttpError | undefined {
    // Nobody else has the controller, and it is aborted with such an error only.
    return this.signal.aborted ? (this.signal.reason as SafeHttpError) : undefined;
  }

  /** Waits for work that cannot be told to stop. What becomes of it after the end counts for nothing. */
  race<Value>(work: PromiseLike<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const onEnd = (): void => reject(this.signal.reason);
      if (this.signal.aborted) onEnd();
      else this.signal.addEventListener('abort', onEnd, { once: true });
      Promise.resolve(work)
        .then(resolve, reject)
        .finally(() => this.signal.removeEventListener('abort', onEnd));
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#source?.removeEventListener('abort', this.#onCancel);
    this.#source = undefined;
  }

  readonly #onCancel = (): void => this.#end(new SafeHttpError('cancelled', 'it was cancelled'));

  #end(error: SafeHttpError): void {
    this.close();
    this.#controller.abort(error);
  }
}

function timedOut(timeoutMs: number): SafeHttpError {
  return new SafeHttpError('timed-out', `there was no whole answer within ${timeoutMs / 1000} s`);
}
