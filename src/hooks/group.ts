import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { checkedParts } from './checked-parts.ts';
import type { Part } from './plan.ts';

type Taker<Policy> = Policy extends AgentHooks<infer Context> ? (context: Context) => void : never;

/** What the app has to give so that each of the policies has what it reads in `ctx.context`. */
export type ContextOfAll<Policies extends readonly AgentHooks[]> =
  Taker<Policies[number]> extends (context: infer Context) => void ? Context : never;

/** Reads the arguments of a group: its policies, after its name if it has one. */
export function readGroup(
  by: string,
  args: readonly unknown[],
): { readonly name?: string; readonly parts: readonly Part[] } {
  const [name, ...policies] = args;
  if (typeof name !== 'string') return { parts: checkedParts(by, args) };
  if (name.trim() !== '') return { name, parts: checkedParts(`${by}('${name}')`, policies) };
  throw new ConfigError('invalid-option', {
    where: by,
    what: 'was given a name that is empty',
    fix: "Use a short, stable name, such as `compose('payments', a, b)`, or none",
  });
}
