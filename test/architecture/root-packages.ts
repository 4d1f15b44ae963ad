import { builtinModules } from 'node:module';
import type { Source } from './read-sources.ts';

const allowed: readonly string[] = ['zod', 'eventemitter3', 'p-limit'];

/** What importing the root entry brings along: these packages and Node's own modules, nothing heavier. */
export function rootPackageViolations(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set(['index.ts']);
  const violations: string[] = [];
  for (const path of reached) {
    for (const { target, specifier, at } of byPath.get(path)?.imports ?? []) {
      if (target !== undefined) reached.add(target);
      else if (!isAllowed(specifier))
        violations.push(`${at} brings ${specifier} to the root entry`);
    }
  }
  return violations;
}

function isAllowed(specifier: string): boolean {
  if (specifier.startsWith('node:')) return true;
  // A bare builtin is Node's too, but the prefix is what tells a reader so.
  return !builtinModules.includes(specifier) && allowed.includes(specifier);
}
