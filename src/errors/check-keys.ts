import { kindOf } from '../internal/kind-of.ts';
import { nearestName } from '../internal/nearest-name.ts';
import { ConfigError } from './config-error.ts';

/**
 * Refuses keys nobody knows, with the nearest known one: a misspelled option must not be a missing one. Refuses what is
 * no object at all as well.
 */
export function checkKeys(where: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigError('invalid-option', {
      where,
      what: `the options are ${kindOf(given)}`,
      fix: `Pass an object with some of: ${known.join(', ')}`,
    });
  }
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const nearest = nearestName(key, known);
    throw new ConfigError('unknown-option', {
      where,
      what: `there is no option '${key}'`,
      fix:
        nearest === undefined
          ? `The options are: ${known.join(', ')}`
          : `Did you mean '${nearest}'?`,
    });
  }
}
