import type { AgentHooks } from './agent-hooks.ts';
import { type ContextOfAll, readGroup } from './group.ts';
import { combine } from './plan.ts';

/**
 * Several policies as one value, asked one after the other as if they stood in the list themselves: order,
 * precedence, rechecks, time limits, failure settings and memory are those of each. In a group with a name they
 * are called `<name>/<policy>`, also as keepers of memory; without one they keep their names.
 *
 * Throws `ConfigError` for what is no policy.
 */
export function compose<const Policies extends readonly AgentHooks[]>(
  ...policies: Policies
): AgentHooks<ContextOfAll<Policies>>;
export function compose<const Policies extends readonly AgentHooks[]>(
  name: string,
  ...policies: Policies
): AgentHooks<ContextOfAll<Policies>>;
export function compose(...args: readonly unknown[]): AgentHooks<never> {
  const { name, parts } = readGroup('compose', args);
  return combine(parts, name);
}
