import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';

const DEFAULT_MS = 5_000;

/** How many milliseconds the end of a thread waits for its observers. Throws for what can be no such time. */
export function checkEndOptions(options: unknown): number {
  if (typeof options === 'object' && options !== null) {
    checkKeys('agent.endThread', options, ['observersMs']);
    const observersMs: unknown = Reflect.get(options, 'observersMs') ?? DEFAULT_MS;
    if (typeof observersMs === 'number' && observersMs >= 0 && observersMs < 2 ** 31) {
      return observersMs;
    }
  }
  throw new ConfigError('invalid-option', {
    where: 'agent.endThread',
    what: 'the options have no usable time',
    fix: 'Pass `{ observersMs }` with milliseconds from 0 and below 2147483648, or nothing',
  });
}
