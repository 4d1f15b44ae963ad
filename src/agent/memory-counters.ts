import type { Counters } from '../hooks/context.ts';

interface Count {
  value: number;
  readonly expiresAt: number;
}

/** Counters of this process: atomic here, and gone with it. */
export function memoryCounters(now: () => number = Date.now): Counters {
  const counts = new Map<string, Count>();
  const current = (key: string): Count | undefined => {
    const count = counts.get(key);
    if (count === undefined || count.expiresAt > now()) return count;
    counts.delete(key);
    return undefined;
  };
  return {
    increment(key, options = {}) {
      const { by = 1, expiresInMs = Number.POSITIVE_INFINITY } = options;
      const count = current(key) ?? { value: 0, expiresAt: now() + expiresInMs };
      count.value += by;
      counts.set(key, count);
      return count.value;
    },
    read: (key) => current(key)?.value ?? 0,
  };
}
