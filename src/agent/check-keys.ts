import { ConfigError } from '../errors/config-error.ts';
import { nearestName } from '../internal/nearest-name.ts';

/** Refuses keys nobody knows, with the nearest known one: a misspelled option must not be a missing one. */
export function checkKeys(where: string, given: object, known: readonly string[]): void {
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
