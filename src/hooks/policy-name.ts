import type { AgentHooks } from './agent-hooks.ts';
import type { NamedBy } from './entry.ts';
import type { Report } from './report.ts';

export interface PolicyName {
  readonly name: string;
  readonly by: NamedBy;
}

/**
 * What a policy is called in decisions, events and errors: its `name`, else the name of its class, else its
 * place in the list, such as `policy-2`; before it the names of the groups it is in, as in `payments/limit`.
 * Only a `name` can keep memory, and a place can ask for no approval: both would be found under another name
 * after the list, or the build, has changed.
 */
export function namePolicy(
  hooks: AgentHooks<never>,
  index: number,
  groups: readonly string[] = [],
): PolicyName {
  const explicit = typeof hooks.name === 'string' && hooks.name !== '' ? hooks.name : undefined;
  const name = explicit ?? classNameOf(hooks);
  const full = [...groups, name ?? `policy-${index + 1}`].join('/');
  if (name === undefined) return { name: full, by: 'position' };
  return { name: full, by: explicit === undefined ? 'class' : 'explicit' };
}

/** Who decides in records where no policy does. A policy of such a name could answer for the engine. */
const ENGINE_NAMES: ReadonlySet<string> = new Set(['agent', 'tier', 'user']);

export function checkName({ name }: PolicyName, where: string, report: Report): void {
  if (!ENGINE_NAMES.has(name)) return;
  report({
    code: 'invalid-option',
    where,
    what: `is called '${name}', which is what the engine calls itself in records`,
    fix: 'Give the policy another `name`',
    member: 'name',
  });
}

function classNameOf(hooks: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(hooks);
  if (typeof prototype !== 'object' || prototype === null) return undefined;
  // The prototype of a literal is the one object above all, in whatever realm it was made.
  if (Object.getPrototypeOf(prototype) === null) return undefined;
  const maker: unknown = prototype.constructor;
  if (typeof maker !== 'function' || typeof maker.name !== 'string') return undefined;
  return maker.name === '' ? undefined : maker.name;
}
