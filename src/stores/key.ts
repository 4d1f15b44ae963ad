import { ConfigError } from '../errors/config-error.ts';

/** True for a text every store can keep as a key: databases cut or change NUL and lone surrogates, so that two ids would become one. */
export function isKey(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Gives the key back. Throws a `ConfigError` for one that could meet another in a store. */
export function requireKey(text: string, what: string): string {
  if (isKey(text)) return text;
  throw new ConfigError('invalid-input', {
    where: what,
    what: 'it holds a NUL character or half of a surrogate pair',
    fix: 'Use well-formed text without NUL characters',
  });
}
