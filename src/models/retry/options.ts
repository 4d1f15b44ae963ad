import { checkKeys } from '../../errors/check-keys.ts';
import { ConfigError } from '../../errors/config-error.ts';
import { MAX_TIMER_MS } from '../../internal/timer-limit.ts';

/** How often, how long and how patiently a model is asked again. */
export interface RetryOptions {
  /** Attempts after the first one. Default: 2. */
  readonly maxRetries?: number;
  /** Milliseconds before the second attempt, doubled for each later one. Default: 500. */
  readonly minDelayMs?: number;
  /** The longest wait that grows this way, in milliseconds. Default: 8 000. */
  readonly maxDelayMs?: number;
  /** The longest wait that a provider may ask for, in milliseconds; asked for more, the call fails at once. Default: 60 000. */
  readonly maxRetryAfterMs?: number;
  /** No attempt begins later than this after the first one, in milliseconds. Default: 120 000. */
  readonly budgetMs?: number;
  /** A stream that gives no part for so many milliseconds while one is waited for has failed. Default: 120 000. */
  readonly stallMs?: number;
  /** How long one attempt at a whole answer may take, in milliseconds. Default: 600 000. */
  readonly timeoutMs?: number;
}

export type RetryLimits = Required<RetryOptions>;

const DEFAULTS: RetryLimits = {
  maxRetries: 2,
  minDelayMs: 500,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 60_000,
  budgetMs: 120_000,
  stallMs: 120_000,
  timeoutMs: 600_000,
};

/** Fills the defaults in. Throws `ConfigError` for an option that is not known or no count. */
export function readRetryOptions(where: string, options: RetryOptions): RetryLimits {
  checkKeys(where, options, Object.keys(DEFAULTS));
  for (const [name, value] of Object.entries(options)) {
    const smallest = name === 'stallMs' || name === 'timeoutMs' ? 1 : 0;
    if (value === undefined) continue;
    if (!Number.isInteger(value) || value < smallest || value > MAX_TIMER_MS) {
      throw invalid(where, `'${name}' is no count`, `Give a whole number from ${smallest}`);
    }
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

function invalid(where: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where, what, fix });
}
