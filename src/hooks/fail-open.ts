import type { AgentHooks } from './agent-hooks.ts';
import { checkedParts } from './checked-parts.ts';
import { combine } from './plan.ts';

/**
 * A policy whose failures are recorded and let through, at every point and whatever its options say. For what is
 * better missing than in the way.
 */
export function failOpen<Context>(policy: AgentHooks<Context>): AgentHooks<Context> {
  return combine(checkedParts('failOpen', [policy]).map((part) => ({ ...part, failure: 'open' })));
}
