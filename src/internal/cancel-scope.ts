/**
 * One cancellation, heard by many. Listens once to the caller's signal however many parts of a run wait for
 * it, hands out a signal of its own only when one is asked for, and lets go of the caller's on `close`.
 */
export class CancelScope {
  #source: AbortSignal | undefined;
  #controller: AbortController | undefined;
  readonly #listeners = new Set<() => void>();
  #reason: unknown;
  #cancelled = false;

  constructor(source?: AbortSignal) {
    this.#source = source;
    if (source?.aborted === true) this.cancel(source.reason);
    else source?.addEventListener('abort', this.#onAbort);
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Aborted when the scope is. Made when first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Calls `listener` once, on cancel; at once if that has been. Returns how to stop listening. */
  onCancel(listener: () => void): () => void {
    if (this.#cancelled) {
      listener();
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  cancel(reason?: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.close();
    this.#controller?.abort(reason);
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  /** Stops listening to the caller's signal. */
  close(): void {
    this.#source?.removeEventListener('abort', this.#onAbort);
    this.#source = undefined;
  }

  readonly #onAbort = (): void => this.cancel(this.#source?.reason);
}
