import { ConfigError } from '../errors/config-error.ts';
import type { HookPoint } from './agent-hooks.ts';

/** Registered, as an app may have loaded this package twice: once imported, once required. */
const STAND_IN = Symbol.for('agent-hooks.stand-in');

/**
 * A method of a combined policy, which is there to be seen: the engine calls those of the policies it is made of.
 * Calling it by hand would go past their order, time limits and failure settings, and must not count as an answer.
 */
export function standIn(point: HookPoint): () => never {
  const method = (): never => {
    throw new ConfigError('invalid-input', {
      where: `${point} of a combined policy`,
      what: 'was called by hand, past the time limits and failure settings of its policies',
      fix: 'Pass the combined policy to an agent, or to `ask` of agent-hooks/testing',
    });
  };
  return Object.defineProperty(method, STAND_IN, { value: true });
}

/** True for such a method, wherever it was copied to. */
export function isStandIn(method: object): boolean {
  return Object.hasOwn(method, STAND_IN);
}
