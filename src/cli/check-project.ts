import { resolve } from 'node:path';
import type { Finding } from '../errors/hook-validation-error.ts';
import type { AgentHooks } from '../hooks/agent-hooks.ts';
import { implementedPoints } from '../hooks/points.ts';
import { checkHooks, type LoadOptions } from './load.ts';
import { mergeFindings } from './merge-findings.ts';
import { checkSources } from './static/check-sources.ts';

/** The outcome of a check, as JSON. Fields may be added; none is renamed or removed within a version. */
export interface CheckReport {
  readonly version: 1;
  /** Absolute. */
  readonly dir: string;
  readonly files: readonly string[];
  readonly policies: readonly PolicyReport[];
  readonly findings: readonly Finding[];
  readonly errors: number;
  readonly warnings: number;
  /** Checks that could not be made, and why. */
  readonly leftOut: readonly string[];
}

interface PolicyReport {
  /** Absent: the class, or the place in the list, names it. */
  readonly name?: string;
  readonly file: string;
  readonly points: readonly string[];
}

/** Loads the hooks of a project, validates them, and reads their sources with the project's own compiler. */
export async function checkProject(dir: string, options: LoadOptions): Promise<CheckReport> {
  const root = resolve(dir);
  const { hooks, sources, files, findings: loaded } = await checkHooks<never>(root, options);
  const read = checkSources(root, files);
  const findings = mergeFindings(loaded, read);
  const count = (severity: Finding['severity']): number =>
    findings.filter((finding) => finding.severity === severity).length;
  return {
    version: 1,
    dir: root,
    files,
    policies: hooks.flatMap((policy, index) => described(policy, sources[index] ?? '') ?? []),
    findings,
    errors: count('error'),
    warnings: count('warning'),
    leftOut: read.leftOut,
  };
}

/** Nothing for what is no policy, or cannot be read: the findings say so. */
function described(policy: AgentHooks<never>, file: string): PolicyReport | undefined {
  if (typeof policy !== 'object' || policy === null) return undefined;
  try {
    const { name } = policy;
    return { ...(typeof name === 'string' && { name }), file, points: implementedPoints(policy) };
  } catch {
    return undefined;
  }
}
