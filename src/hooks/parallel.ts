import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { type ContextOfAll, readGroup } from './group.ts';
import { combine } from './plan.ts';
import { refuseActing } from './refuse-acting.ts';

/**
 * Several policies that only judge, asked at the same time: it takes as long as the slowest. All of them are
 * heard, and the most restrictive answer counts: block, then retry, then confirmation, then allow. A rewrite is a
 * failure of its policy. One failure of a closed policy is the failure of all, and aborts `ctx.signal` of those
 * still running. Groups inside are dissolved: their policies are asked at the same time too. Names as in `compose`.
 *
 * Throws `ConfigError` for what is no policy, for a method that acts in place of answering, and for policies
 * with different `order`.
 */
export function parallel<const Policies extends readonly AgentHooks[]>(
  ...policies: Policies
): AgentHooks<ContextOfAll<Policies>>;
export function parallel<const Policies extends readonly AgentHooks[]>(
  name: string,
  ...policies: Policies
): AgentHooks<ContextOfAll<Policies>>;
export function parallel(...args: readonly unknown[]): AgentHooks<never> {
  const { name, parts } = readGroup('parallel', args);
  refuseActing('parallel', parts);
  const [first] = parts;
  if (parts.some(({ hooks }) => hooks.order !== first?.hooks.order)) {
    throw new ConfigError('invalid-option', {
      where: 'parallel',
      what: 'was given policies with different `order`, which cannot be asked at the same time',
      fix: 'Give all of them the same `order`, or use `compose`',
    });
  }
  const beside = Object.freeze({});
  return combine(
    parts.map((part) => ({ ...part, beside })),
    name,
  );
}
