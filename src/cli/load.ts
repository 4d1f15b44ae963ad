import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../errors/config-error.ts';
import { type Finding, HookValidationError } from '../errors/hook-validation-error.ts';
import type { AgentHooks } from '../hooks/agent-hooks.ts';
import { type ValidateOptions, validateHooks } from '../hooks/validate.ts';
import { readText } from '../internal/read-text.ts';
import { collectPolicies, type Exported, type LoadedModule } from './collect-policies.ts';
import { findHookFiles, isIndex } from './find-files.ts';
import { importFile } from './import-file.ts';
import { importFinding } from './import-problem.ts';
import { locate, placed } from './locate.ts';

export interface LoadOptions extends Omit<ValidateOptions, 'places'> {
  /** Milliseconds a file may take to load. Default: 10000. */
  readonly importTimeoutMs?: number;
}

/** What was found in a project: what could be loaded, and everything that is wrong with it. */
export interface CheckedHooks<Context = unknown> {
  /** In path order. Only complete, and only fit for an agent, when no finding is an `error`. */
  readonly hooks: readonly AgentHooks<Context>[];
  /** The file of each, below the folder. */
  readonly sources: readonly string[];
  /** Every file that was loaded, or should have been. */
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Loads the policies of a project: `hooks.ts` and everything under `hooks/` (ts, mts, cts, js, mjs, cjs), in path
 * order. Throws one `HookValidationError` with every mistake in every file when there is any, so that no agent is
 * built of what is left. Warnings do not count; see `checkHooks`. The files run, once a process, as `import` does.
 * What `Context` is, is the word of the caller.
 */
export async function loadHooks<Context = unknown>(
  dir: string,
  options: LoadOptions = {},
): Promise<readonly AgentHooks<Context>[]> {
  const { hooks, findings } = await checkHooks<Context>(dir, options);
  if (findings.some(({ severity }) => severity === 'error'))
    throw new HookValidationError('loadHooks', findings);
  return hooks;
}

/** The same, for a tool of your own: tells everything it finds, warnings too, and throws for a bad option only. */
export async function checkHooks<Context = unknown>(
  dir: string,
  options: LoadOptions = {},
): Promise<CheckedHooks<Context>> {
  // As Node names files in what it throws: links followed.
  const root = existsSync(dir) ? realpathSync(dir) : resolve(dir);
  const { importTimeoutMs = 10_000, ...rules } = options;
  checkLoadOptions(importTimeoutMs, rules);
  const found = findHookFiles(root);
  const findings = [...found.findings];
  const modules: LoadedModule[] = [];
  for (const file of found.files) {
    // One after the other: what modules do to each other while they load is then the same every time.
    const imported = await importFile(join(root, file), importTimeoutMs);
    if ('exports' in imported) modules.push({ file, exports: imported.exports });
    else findings.push(await importFinding(root, file, imported.thrown));
  }
  const { policies, findings: collected } = collect(modules);
  findings.push(...collected, ...validated(policies, rules));
  return Object.freeze({
    // Whether they are policies is what the findings say.
    hooks: Object.freeze(policies.map(({ value }) => value as AgentHooks<Context>)),
    sources: Object.freeze(policies.map(({ file }) => file)),
    files: found.files,
    findings: Object.freeze(once(findings.map((finding) => located(root, finding, policies)))),
  });
}

/** Before any file runs. */
function checkLoadOptions(importTimeoutMs: number, rules: ValidateOptions): void {
  validateHooks([], rules);
  if (importTimeoutMs > 0 && importTimeoutMs < 2 ** 31) return;
  throw new ConfigError('invalid-option', {
    where: 'loadHooks: importTimeoutMs',
    what: 'is no time limit',
    fix: 'Use milliseconds above 0',
  });
}

function collect(modules: readonly LoadedModule[]): {
  readonly policies: readonly Exported[];
  readonly findings: readonly Finding[];
} {
  const collected = modules.map(collectPolicies);
  const policies = ownersFirst(collected.flatMap((each) => each.policies));
  const classes = ownersFirst(collected.flatMap((each) => each.classes)).filter(
    // A class beside its instance is there for tests and for types.
    ({ value }) => !policies.some((policy) => isInstance(policy.value, value)),
  );
  return {
    policies: [...policies, ...classes].sort((a, b) =>
      a.file < b.file ? -1 : a.file > b.file ? 1 : 0,
    ),
    findings: collected.flatMap((each) => each.findings),
  };
}

/** What an index hands on belongs to the file that defines it; each policy is there once. */
function ownersFirst(exported: readonly Exported[]): readonly Exported[] {
  const owners = new Map<unknown, Exported>();
  const own = exported.filter(({ file }) => !isIndex(file));
  const handedOn = exported.filter(({ file }) => isIndex(file));
  for (const item of [...own, ...handedOn]) {
    // Two exports that are not even objects are two mistakes.
    const key = Object(item.value) === item.value ? item.value : item;
    if (!owners.has(key)) owners.set(key, item);
  }
  return [...owners.values()];
}

function isInstance(value: unknown, maker: unknown): boolean {
  return typeof maker === 'function' && value instanceof maker;
}

function validated(policies: readonly Exported[], rules: ValidateOptions): readonly Finding[] {
  const places = policies.map(placeOf);
  return validateHooks(
    policies.map(({ value }) => value),
    { ...rules, places },
  );
}

/** What the policy calls itself is in the finding anyway. */
function placeOf({ value, file, exported }: Exported): string {
  const isClear = exported === 'default' || readText(Object(value), 'name') !== undefined;
  return isClear ? file : `${file} (export '${exported}')`;
}

function located(root: string, finding: Finding, policies: readonly Exported[]): Finding {
  if (finding.line !== undefined) return finding;
  const policy = finding.index === undefined ? undefined : policies[finding.index];
  const file = policy?.file ?? finding.file;
  if (file === undefined) return Object.freeze(finding);
  const at = locate(join(root, file), { exported: policy?.exported, member: finding.member });
  return placed(finding, file, at);
}

/** A file that several others import is broken once. */
function once(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ code, file, line, column, index, member, what }) => {
    if (index !== undefined || file === undefined) return true;
    const key = JSON.stringify([code, file, line, column, member, what]);
    return !seen.has(key) && seen.add(key);
  });
}

export {
  type Finding,
  type FindingCode,
  HookValidationError,
} from '../errors/hook-validation-error.ts';
