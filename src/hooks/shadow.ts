import type { AgentHooks } from './agent-hooks.ts';
import { checkedParts } from './checked-parts.ts';
import { combine } from './plan.ts';
import { refuseActing } from './refuse-acting.ts';

/**
 * A policy on trial: asked in its place in the chain, like any other, and recorded with `shadow: true`. Nothing it
 * says is enforced, no rewrite is applied, no failure ends anything, and no stream is held for it. It keeps its
 * name, and so its memory, for when it is enforced. A slow one delays the turn by up to its time limit: give it a
 * short one with `withTimeout`, or ask it beside others with `parallel`.
 *
 * Throws `ConfigError` for what is no policy, and for a method that acts in place of answering.
 */
export function shadow<Context>(policy: AgentHooks<Context>): AgentHooks<Context> {
  const parts = checkedParts('shadow', [policy]);
  refuseActing('shadow', parts);
  return combine(parts.map((part) => ({ ...part, shadow: true })));
}
