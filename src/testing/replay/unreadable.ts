import { ConfigError } from '../../errors/config-error.ts';

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What of a record cannot be read: the place and what is wrong there, without a word of the content. */
export function unreadable(where: string, what: string): ConfigError {
  return new ConfigError('invalid-input', { where, what, fix: 'Correct the transcript' });
}
