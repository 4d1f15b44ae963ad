import pLimit from 'p-limit';

/** Gives a slot back. Does nothing the second time. */
export type Release = () => void;

/** So many at a time; the others wait in the order in which they came. */
export class Slots {
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(count: number) {
    this.#limit = pLimit(count);
  }

  /** Rejects with the reason of the signal when that comes before the slot, which then goes to the next one. */
  take(signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      void this.#limit(() => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) return undefined;
        return new Promise<void>((release) => resolve(release));
      });
    });
  }
}
