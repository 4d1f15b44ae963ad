import { ConfigError } from '../../errors/config-error.ts';

const DEFAULT_TIMEOUT_MS = 5_000;

export function requireTimeout(where: string, timeoutMs: unknown = DEFAULT_TIMEOUT_MS): number {
  // A longer timer would run off at once.
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs < 2 ** 31) return timeoutMs;
  throw new ConfigError('invalid-option', {
    where,
    what: '`timeoutMs` is no positive number of milliseconds',
    fix: `Give the time one request may take, or leave it out for ${DEFAULT_TIMEOUT_MS}`,
  });
}
