import type { Counters, IncrementOptions } from '../protocol/counters.ts';
import { outOfRange, requireCounterKey, requireIncrement } from './increment.ts';

/** Counters of this process: atomic here, and gone with it. `now`: milliseconds since the epoch. */
export function memoryCounters(now: () => number = Date.now): Counters {
  return new MemoryCounters(now);
}

interface Count {
  value: number;
  readonly expiresAt: number;
}

/** How many counters there may be before those that ran out are looked for. */
const FIRST_SWEEP = 1_024;

class MemoryCounters implements Counters {
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();
  #sweepAt = FIRST_SWEEP;

  constructor(now: () => number) {
    this.#now = now;
  }

  increment(key: string, options?: IncrementOptions): number {
    const { by, max, expiresInMs = Number.POSITIVE_INFINITY } = requireIncrement(key, options);
    const count = this.#current(key);
    const value = (count?.value ?? 0) + by;
    if (!Number.isSafeInteger(value)) throw outOfRange();
    if (max !== undefined && value > max) return value;
    if (count === undefined) this.#begin(key, { value, expiresAt: this.#now() + expiresInMs });
    else count.value = value;
    return value;
  }

  read(key: string): number {
    return this.#current(requireCounterKey(key))?.value ?? 0;
  }

  #current(key: string): Count | undefined {
    const count = this.#counts.get(key);
    return count !== undefined && count.expiresAt > this.#now() ? count : undefined;
  }

  /** Looks through all of them only when they have doubled, so that one more costs the same however many there are. */
  #begin(key: string, count: Count): void {
    this.#counts.set(key, count);
    if (this.#counts.size < this.#sweepAt) return;
    const now = this.#now();
    for (const [each, { expiresAt }] of this.#counts) {
      if (expiresAt <= now) this.#counts.delete(each);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#counts.size);
  }
}
