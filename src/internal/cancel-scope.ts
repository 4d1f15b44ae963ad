/**
 * One cancellation, heard by many. Listens once to the caller's signal however many parts of a run wait for
 * it, hands out a signal of its own only when one is asked for, and lets go of the caller's on `close`.
 */
export class CancelScope {
  #source: AbortSignal | undefined;
  #controller: AbortController | undefined;
  /** Few at a time, and the latest is the first to go: looking it up costs less than a set. */
  #listeners: Listener[] | undefined;
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
  onCancel(listener: Listener): () => void {
    this.listen(listener);
    return () => this.unlisten(listener);
  }

  /** Calls `listener` once, on cancel, unless `unlisten` comes first; at once if that has been. */
  listen(listener: Listener): void {
    if (this.#cancelled) {
      listener();
      return;
    }
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }

  unlisten(listener: Listener): void {
    const listeners = this.#listeners;
    if (listeners === undefined) return;
    const index = listeners.lastIndexOf(listener);
    if (index === listeners.length - 1) listeners.pop();
    else if (index !== -1) listeners.splice(index, 1);
  }

  cancel(reason?: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.close();
    this.#controller?.abort(reason);
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Stops listening to the caller's signal. */
  close(): void {
    this.#source?.removeEventListener('abort', this.#onAbort);
    this.#source = undefined;
  }

  readonly #onAbort = (): void => this.cancel(this.#source?.reason);
}

type Listener = () => void;
