import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { checkedParts } from './checked-parts.ts';
import type { HookContext } from './context.ts';
import type { HookQuestion } from './limit-call.ts';
import { combine, type Part, pointsOf } from './plan.ts';

/** True when a policy is to be asked. Runs within its time limit, each time it would be asked. */
export type HookCondition<Context = unknown> = (
  ctx: HookContext<Context>,
  question: HookQuestion,
) => boolean | PromiseLike<boolean>;

/**
 * A policy that is asked only where `condition` says so, and has no opinion elsewhere, also where it must decide.
 * The condition sees what the policy would see, at each point and on each recheck. One that throws, rejects,
 * takes too long or answers with anything but true or false is a failure of the policy, never a skip.
 *
 * Throws `ConfigError` for what is no function or no policy, and for a `systemPrompt`, which has no context.
 */
export function when<Context>(
  condition: HookCondition<NoInfer<Context>>,
  policy: AgentHooks<Context>,
): AgentHooks<Context>;
export function when<Needed, Context>(
  condition: HookCondition<Needed>,
  policy: AgentHooks<Context>,
): AgentHooks<Needed & Context>;
export function when(
  condition: HookCondition<never>,
  policy: AgentHooks<never>,
): AgentHooks<never> {
  if (typeof condition !== 'function') {
    throw new ConfigError('invalid-option', {
      where: 'when',
      what: 'the condition is no function',
      fix: 'Write it as `when((ctx) => ctx.channel === "web", policy)`',
    });
  }
  const limit = Object.freeze({ by: 'when', applies: condition });
  const parts = checkedParts('when', [policy]);
  refuseWithoutContext(parts);
  return combine(parts.map((part) => ({ ...part, limits: [limit, ...part.limits] })));
}

/** A system prompt comes without a context, so there is nothing to ask the condition with. */
function refuseWithoutContext(parts: readonly Part[]): void {
  if (!parts.some((part) => pointsOf(part).includes('systemPrompt'))) return;
  throw new ConfigError('invalid-option', {
    where: 'when',
    what: "was given a policy with 'systemPrompt', which gives the condition no `ctx`",
    fix: 'Move the method to a policy of its own, outside of it, and look at `info` there',
  });
}
