import type { Finding } from '../errors/hook-validation-error.ts';
import { functionNames, isClass } from '../hooks/check-policy.ts';
import { intendedHook } from '../hooks/intended-hook.ts';
import { HOOK_POINTS, isHookPoint } from '../hooks/points.ts';
import { defineHooks, Policy } from '../hooks/policy.ts';
import { isIndex } from './find-files.ts';

/** A module of the project after it was loaded. */
export interface LoadedModule {
  readonly file: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** Something exported that is, or was meant to be, a policy. */
export interface Exported {
  readonly value: unknown;
  readonly file: string;
  readonly exported: string;
}

/** What a module gives: policies to check, and classes that someone has yet to make an instance of. */
export interface Collected {
  readonly policies: readonly Exported[];
  readonly classes: readonly Exported[];
  readonly findings: readonly Finding[];
}

/**
 * Takes the policies out of a module: its default export, whatever that is, and each named export that has a
 * hook, or a method that was meant to be one. Lists of policies count as what is in them.
 */
export function collectPolicies({ file, exports }: LoadedModule): Collected {
  const entries = entriesOf(exports);
  const policies: Exported[] = [];
  const classes: Exported[] = [];
  for (const [exported, value] of entries) {
    const item = { value, file, exported };
    if (isPolicyClass(value)) classes.push(item);
    else if (Array.isArray(value) && (exported === 'default' || value.some(isPolicyLike))) {
      policies.push(...value.map((each) => ({ ...item, value: each })));
    } else if (exported === 'default' || isPolicyLike(value)) policies.push(item);
  }
  const isEmpty = policies.length === 0 && classes.length === 0;
  const findings = isEmpty && !isIndex(file) ? [noPolicies(file, entries)] : [];
  return { policies, classes, findings };
}

type Entry = readonly [exported: string, value: unknown];

/** A CommonJS module that exports several policies has them all in its default export too, as one object. */
function entriesOf(exports: Readonly<Record<string, unknown>>): readonly Entry[] {
  const { default: main, ...named } = exports;
  const entries: Entry[] = Object.entries(named).filter(
    ([name]) => name !== 'module.exports' && name !== '__esModule',
  );
  if ('default' in exports) entries.unshift(['default', main]);
  if (typeof main !== 'object' || main === null || Array.isArray(main) || isPolicyLike(main)) {
    return entries;
  }
  const inner = Object.entries(main).filter(([, value]) => isPolicyLike(value) || isList(value));
  if (inner.length === 0 && !('__esModule' in main)) return entries;
  const names = new Set(inner.map(([name]) => name));
  return [...entries.filter(([name]) => name !== 'default' && !names.has(name)), ...inner];
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.some(isPolicyLike);
}

/** An object with a hook, or with a method that looks like one; an instance of `Policy` even without. */
function isPolicyLike(value: unknown): boolean {
  if (value === defineHooks) return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  try {
    return (
      value instanceof Policy ||
      HOOK_POINTS.some((point) => Reflect.get(value, point) !== undefined) ||
      functionNames(value).some((name) => intendedHook(name) !== undefined)
    );
  } catch {
    // What throws when it is looked at is named by the checks of every policy.
    return true;
  }
}

function isPolicyClass(value: unknown): boolean {
  if (typeof value !== 'function' || !isClass(value)) return false;
  const prototype: unknown = value.prototype;
  if (typeof prototype !== 'object' || prototype === null) return false;
  if (prototype instanceof Policy) return true;
  return functionNames(prototype).some((name) => isHookPoint(name));
}

function noPolicies(file: string, entries: readonly Entry[]): Finding {
  const functions = entries
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  return {
    severity: 'warning',
    code: 'no-policies',
    where: file,
    what: 'exports no policy, so nothing in it guards anything',
    fix:
      functions.length === 0
        ? 'Export a policy, or move shared code out of `hooks/`'
        : `If '${functions[0]}' makes a policy, export what it gives; if this is shared code, move it out of \`hooks/\``,
    file,
  };
}
