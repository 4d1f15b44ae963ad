/** Gives a slot back. Does nothing the second time. */
export type Release = () => void;

/**
 * So many at a time; the others wait in the order in which they came. Not p-limit: what is queued there cannot leave
 * again, and behind a call that hangs every cancelled one would stay in memory.
 */
export class Slots {
  #free: number;
  /** Empty while a slot is free. */
  readonly #waiting = new Set<(release: Release) => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** A slot that is free now; nothing while others have them all. */
  takeFree(): Release | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return this.#held();
  }

  /** Calls back with the slot when it is its turn, and not before this has returned. What it gives leaves the queue. */
  wait(onTurn: (release: Release) => void): () => void {
    this.#waiting.add(onTurn);
    return () => this.#waiting.delete(onTurn);
  }

  /** Rejects with the reason of the signal when that comes before the slot, which then goes to the next one. */
  take(signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const free = this.takeFree();
      if (free !== undefined) return resolve(free);
      const onAbort = (): void => {
        leave();
        reject(signal.reason);
      };
      const leave = this.wait((release) => {
        signal.removeEventListener('abort', onAbort);
        resolve(release);
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #held(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      this.#waiting.delete(next);
      next(this.#held());
    };
  }
}
