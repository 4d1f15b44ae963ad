import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { NamedBy } from './entry.ts';

export interface PolicyName {
  readonly name: string;
  readonly by: NamedBy;
  /** Where in the list, for messages. */
  readonly index: number;
}

/**
 * What a policy is called in decisions, events and errors: its `name`, else the name of its class, else its
 * place in the list, such as `policy-2`. Only a `name` can keep memory, and a place can ask for no approval:
 * both would be found under another name after the list, or the build, has changed.
 */
export function namePolicy(hooks: AgentHooks<never>, index: number): PolicyName {
  const className = hooks.name === undefined ? classNameOf(hooks) : undefined;
  const name = hooks.name ?? className;
  if (name === undefined) return { name: `policy-${index + 1}`, by: 'position', index };
  if (ENGINE_NAMES.has(name)) throw engineName(name, index);
  return { name, by: className === undefined ? 'explicit' : 'class', index };
}

/** Who decides in records where no policy does. A policy of such a name could answer for the engine. */
const ENGINE_NAMES: ReadonlySet<string> = new Set(['agent', 'tier', 'user']);

function engineName(name: string, index: number): ConfigError {
  return new ConfigError('invalid-option', {
    where: `hooks[${index}]`,
    what: `is called '${name}', which is what the engine calls itself in records`,
    fix: 'Give the policy another `name`',
  });
}

/** Two policies of one name could not be told apart in any record. */
export function refuseDuplicates(names: readonly PolicyName[]): void {
  const seen = new Map<string, PolicyName>();
  for (const one of names) {
    const other = seen.get(one.name);
    if (other !== undefined) {
      const [first, second] = [other.index, one.index].sort((a, b) => a - b);
      throw new ConfigError('duplicate-policy', {
        where: `hooks[${first}] and hooks[${second}]`,
        what: `both are called '${one.name}'`,
        fix: 'Give each a `name` of its own',
      });
    }
    seen.set(one.name, one);
  }
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
