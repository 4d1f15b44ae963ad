import type { RetryLimits } from './options.ts';

/**
 * Milliseconds before the given retry, counted from 1: doubled each time up to the longest, then by chance
 * between half of it and all, so that many clients do not come back at the same moment.
 */
export function backoffMs(
  retry: number,
  { minDelayMs, maxDelayMs }: Pick<RetryLimits, 'minDelayMs' | 'maxDelayMs'>,
  chance: number = Math.random(),
): number {
  const grown = Math.min(minDelayMs * 2 ** (retry - 1), maxDelayMs);
  return Math.round(grown * (0.5 + chance / 2));
}
