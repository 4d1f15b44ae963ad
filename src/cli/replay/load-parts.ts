import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type Finding, sentenceOf } from '../../errors/hook-validation-error.ts';
import type { AgentHooks } from '../../hooks/agent-hooks.ts';
import { validateHooks } from '../../hooks/validate.ts';
import { describeThrown } from '../../internal/describe-thrown.ts';
import type { ThreadStore } from '../../stores/port.ts';
import type { ToolPort } from '../../tools/port.ts';
import { collectPolicies } from '../collect-policies.ts';
import { importFile } from '../import-file.ts';
import { importFinding } from '../import-problem.ts';
import { checkHooks } from '../load.ts';

/** What could not be loaded, in words for who typed the command. */
export class LoadProblem extends Error {}

const IMPORT_TIMEOUT_MS = 10_000;

/** The policies of a file, or of a folder as `agent-hooks check` takes it. */
export async function loadPolicies(path: string): Promise<readonly AgentHooks[]> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new LoadProblem(`There is no file '${path}'`);
  const { hooks, findings } = stats.isDirectory() ? await checkHooks(path) : await policiesOf(path);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    throw new LoadProblem(errors.map((one) => sentenceOfFinding(path, one)).join('\n'));
  if (hooks.length === 0) throw new LoadProblem(`'${path}' exports no policy`);
  return hooks;
}

async function policiesOf(path: string): Promise<{
  readonly hooks: readonly AgentHooks[];
  readonly findings: readonly Finding[];
}> {
  const [dir, file] = [dirname(resolve(path)), basename(path)];
  const imported = await importFile(resolve(path), IMPORT_TIMEOUT_MS);
  if (!('exports' in imported))
    return { hooks: [], findings: [await importFinding(dir, file, imported.thrown)] };
  const { policies, classes } = collectPolicies({ file, exports: imported.exports });
  // A class beside its instance is there for tests and for types.
  const instances = new Set(policies.map(({ value }) => value));
  const strays = classes.filter(
    ({ value }) =>
      ![...instances].some((one) => typeof value === 'function' && one instanceof value),
  );
  const all = [...instances, ...strays.map(({ value }) => value)];
  const findings = validateHooks(all, { places: all.map(() => file) });
  // Whether they are policies is what the findings say.
  return { hooks: all as AgentHooks[], findings };
}

function sentenceOfFinding(path: string, finding: Finding): string {
  const line = finding.line === undefined ? '' : `:${finding.line}`;
  return `${path}${line}: ${sentenceOf(finding)} (${finding.fix})`;
}

/** The tools that a file exports, one by one or in lists. */
export async function loadTools(path: string): Promise<readonly ToolPort<never>[]> {
  const exports = Object.values(await modulesOf(path)).flat();
  const tools = new Map(exports.filter(isTool).map((tool) => [tool.name, tool]));
  if (tools.size === 0) throw new LoadProblem(`'${path}' exports no tool`);
  return [...tools.values()];
}

/** What policies read in `ctx.context`: JSON, or the default export of a module. */
export async function loadContext(path: string): Promise<unknown> {
  if (!/\.json$/i.test(path)) return (await modulesOf(path))['default'];
  requireFile(path);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new LoadProblem(`'${path}' is no JSON`);
  }
}

/** A store: a SQLite file, or the default export of a module. */
export async function loadStore(path: string): Promise<ThreadStore> {
  if (/\.(db|sqlite3?)$/i.test(path)) {
    requireFile(path);
    const { sqliteStore } = await import('../../stores/sqlite.ts');
    return sqliteStore({ path });
  }
  const store: unknown = (await modulesOf(path))['default'];
  if (isStore(store)) return store;
  throw new LoadProblem(`The default export of '${path}' is no store`);
}

async function modulesOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  requireFile(path);
  const imported = await importFile(resolve(path), IMPORT_TIMEOUT_MS);
  if ('exports' in imported) return imported.exports;
  const { name, text } = describeThrown(imported.thrown);
  throw new LoadProblem(`'${path}' could not be loaded: ${name}: ${text}`);
}

function requireFile(path: string): void {
  if (!existsSync(path)) throw new LoadProblem(`There is no file '${path}'`);
}

function isTool(value: unknown): value is ToolPort<never> {
  return hasMethods(value, ['check', 'run']) && 'description' in value && 'name' in value;
}

function isStore(value: unknown): value is ThreadStore {
  return hasMethods(value, ['load', 'readMessages', 'readEvents', 'listThreads']);
}

function hasMethods(value: unknown, names: readonly string[]): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}
