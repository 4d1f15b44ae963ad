import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../errors/config-error.ts';
import type { AgentHooks } from '../../hooks/agent-hooks.ts';

/** Where a policy is found by a thread of its own. */
export interface PolicyModule {
  /** The file: a URL such as `new URL('./refund-limit.js', import.meta.url)`, or a path. */
  readonly module: URL | string;
  /** What it exports: a policy, its class, or a function that makes it. Default: `default`. */
  readonly export?: string;
  /** For the class or the function. Passed by structured clone. */
  readonly args?: readonly unknown[];
}

export function isPolicyModule(value: AgentHooks<never> | PolicyModule): value is PolicyModule {
  return typeof value === 'object' && value !== null && 'module' in value;
}

export function hrefOf({ module }: PolicyModule): string {
  if (module instanceof URL) return module.href;
  return module.startsWith('file:') ? module : pathToFileURL(module).href;
}

/** The policy that a module exports. Throws `ConfigError` where there is none, and what the module throws. */
export async function loadPolicy(
  href: string,
  name: string,
  args: readonly unknown[],
): Promise<AgentHooks<never>> {
  const exported: Readonly<Record<string, unknown>> = await import(href);
  const found = exported[name];
  if (typeof found === 'object' && found !== null) return found as AgentHooks<never>; // Checked where it is asked.
  if (typeof found === 'function') {
    const isClass = /^class\b/.test(String(found));
    const made: unknown = isClass ? Reflect.construct(found, args) : await found(...args);
    return made as AgentHooks<never>; // Checked where it is asked.
  }
  throw new ConfigError('invalid-input', {
    where: `fuzzPolicy: ${href}`,
    what: `exports no policy, class or function called '${name}'`,
    fix: `It exports: ${Object.keys(exported).join(', ') || 'nothing'}`,
  });
}
