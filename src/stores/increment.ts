import { ConfigError } from '../errors/config-error.ts';
import type { IncrementOptions } from '../protocol/counters.ts';
import { requireKey } from './key.ts';

/** An increment that was checked. */
export interface Increment {
  readonly key: string;
  readonly by: number;
  readonly max: number | undefined;
  readonly expiresInMs: number | undefined;
}

/** Bytes of a key that every database can look up. */
const LONGEST_KEY = 1_024;

/** Throws a `ConfigError` for what could not be kept as it was given. */
export function requireIncrement(key: string, options: IncrementOptions = {}): Increment {
  const { by = 1, max, expiresInMs } = options;
  requireWhole('by', by);
  if (max !== undefined) requireWhole('max', max);
  if (expiresInMs !== undefined && !(expiresInMs > 0 && Number.isFinite(expiresInMs))) {
    throw invalid(
      '`expiresInMs` is no positive number of milliseconds',
      'Leave it out for a counter that stays',
    );
  }
  return { key: requireCounterKey(key), by, max, expiresInMs };
}

export function requireCounterKey(key: string): string {
  if (typeof key !== 'string' || key === '') {
    throw invalid(
      'its key is no text, or empty',
      'Name what is counted, such as a tenant and a day',
    );
  }
  if (Buffer.byteLength(key) > LONGEST_KEY) {
    throw invalid(
      `its key is longer than ${LONGEST_KEY} bytes`,
      'Take the hash of a long name in its place',
    );
  }
  return requireKey(key, 'key of a counter');
}

/** What a sum is refused with that is not exact any more. */
export function outOfRange(): ConfigError {
  return invalid(
    'its value would be above what a number can hold exactly',
    'Count in a larger unit, or in windows that end',
  );
}

function requireWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value)) return;
  throw invalid(
    `\`${name}\` is no whole number`,
    'Sums of fractions drift: count money in millionths of its unit',
  );
}

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-input', { where: 'counter', what, fix });
}
