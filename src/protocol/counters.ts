import type { MaybePromise } from '../internal/maybe-promise.ts';

/**
 * Atomic counters of whole numbers, shared by every process that uses the same implementation. One that cannot be
 * reached, or is given what it cannot keep, throws: no number it gives is a guess, and a policy that lets the error
 * pass fails by the rule of its point.
 *
 * Whole numbers only, as sums of fractions drift: count money in millionths of its unit, and tokens as they are.
 */
export interface Counters {
  /**
   * Adds and returns the new value. Done once, also where a broken connection made the implementation send it again;
   * after an error nobody knows whether it was done. Throws a `ConfigError` with the code `invalid-input` for a key or
   * a number that cannot be kept: a key that is empty, longer than 1024 bytes, or has a NUL or half of a surrogate pair, a
   * number that is not whole, and a sum that is no safe integer.
   */
  increment(key: string, options?: IncrementOptions): MaybePromise<number>;
  /** The value now; 0 for a counter that was never incremented, or ran out. */
  read(key: string): MaybePromise<number>;
}

export interface IncrementOptions {
  /** A whole number, which may be below 0. Default: 1. */
  readonly by?: number;
  /** When the value goes away, in milliseconds from the increment that began it; later ones do not move its end. Default: never. */
  readonly expiresInMs?: number;
  /** The highest value allowed. One that would be above it is returned, and nothing is added. Default: none. */
  readonly max?: number;
}
