import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { checkedParts } from './checked-parts.ts';
import type { HookContext } from './context.ts';
import type { HookQuestion } from './limit-call.ts';
import { combine } from './plan.ts';

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
 * Throws `ConfigError` for what is no function or no policy.
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
  return combine(
    checkedParts('when', [policy]).map((part) => ({ ...part, limits: [limit, ...part.limits] })),
  );
}
