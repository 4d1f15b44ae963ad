import { ConfigError } from '../errors/config-error.ts';

/** When a claim taken now runs out. Throws for a length that would make it hold nothing, or for ever. */
export function leaseEnd(now: number, ttlMs: number): number {
  if (Number.isFinite(ttlMs) && ttlMs > 0) return now + ttlMs;
  throw new ConfigError('invalid-option', {
    where: 'claim of a thread',
    what: '`ttlMs` is no positive number of milliseconds',
    fix: 'Give the time after which another run may take the thread over, such as 30000',
  });
}
