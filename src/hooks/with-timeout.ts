import { ConfigError } from '../errors/config-error.ts';
import { MAX_TIMER_MS } from '../internal/timer-limit.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { isTimeout } from './check-options.ts';
import { checkedParts } from './checked-parts.ts';
import { combine } from './plan.ts';

/**
 * A policy with this time limit in milliseconds, from 1 to 2^31 - 1, at every point and whatever its options say.
 * Around others, each of them has it for itself. The outermost limit counts.
 */
export function withTimeout<Context>(policy: AgentHooks<Context>, ms: number): AgentHooks<Context> {
  if (!isTimeout(ms) || ms < 1) {
    throw new ConfigError('invalid-option', {
      where: 'withTimeout',
      what: 'was given no time limit',
      fix: `Use milliseconds from 1 to ${MAX_TIMER_MS}`,
    });
  }
  return combine(checkedParts('withTimeout', [policy]).map((part) => ({ ...part, timeoutMs: ms })));
}
