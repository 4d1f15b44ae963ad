import { AgentHooksError } from './base.ts';
import type { ConfigCode } from './config-error.ts';

/** What a check of policies can find. Those of `ConfigError` mean that `createAgent` refuses the policy too. */
export type FindingCode =
  | ConfigCode
  /** A policy that can rewrite or refuse, at a point where its failure changes nothing. */
  | 'open-point'
  /** A policy that can take text back, beside a stream that shows it at once. */
  | 'stream-guard'
  /** A second policy at one point, where only one is wanted. */
  | 'duplicate-rewriter'
  /** Nothing to check where hooks were expected. */
  | 'no-hook-files'
  /** A file among the hooks that gives no policy. */
  | 'no-policies'
  /** One module in two forms, such as `a.ts` and `a.js`. */
  | 'duplicate-file'
  | 'unsupported-file'
  | 'syntax-error'
  | 'missing-import'
  /** A module that throws, or never finishes, while it is loaded. */
  | 'import-failed'
  /** TypeScript, on a Node that does not read it. */
  | 'needs-newer-node'
  | 'illegal-decision'
  | 'thrown-decision'
  | 'forgotten-return'
  | 'unchecked-decision'
  | 'type-error';

/** One thing that is wrong, or may be. Frozen JSON; never quotes a value, a secret or what was thrown. */
export interface Finding {
  /** An `error` means that the policy is refused, or does less than it says. */
  readonly severity: 'error' | 'warning';
  readonly code: FindingCode;
  readonly where: string;
  readonly what: string;
  readonly fix: string;
  /** Which policy of the list, from 0, where it is about one. */
  readonly index?: number;
  /** The member of the policy it is about. */
  readonly member?: string;
  /** Below the folder that was checked, with forward slashes. */
  readonly file?: string;
  /** From 1, as `column`. */
  readonly line?: number;
  readonly column?: number;
}

/** Policies were refused before anything ran. `findings` has all of them at once, warnings included. */
export class HookValidationError extends AgentHooksError {
  readonly code = 'invalid-hooks';
  readonly findings: readonly Finding[];

  constructor(where: string, findings: readonly Finding[]) {
    const errors = findings.filter(({ severity }) => severity === 'error');
    super({
      where,
      what: `${errors.length} ${errors.length === 1 ? 'mistake' : 'mistakes'} in the hooks`,
      fix: `Nothing was run:\n${errors.map(line).join('\n')}`,
    });
    this.name = 'HookValidationError';
    this.findings = Object.freeze([...findings]);
  }
}

/** What a finding is about and what is wrong, without the file, which stands before it with the line. */
export function sentenceOf({ where, what, file }: Finding): string {
  const about = file !== undefined && where.startsWith(file) ? where.slice(file.length) : where;
  return `${about.replace(/^[.,\s]+/, '')} ${what}`.trim();
}

function line(finding: Finding): string {
  const { code, fix, file, line: at = 1, column = 1 } = finding;
  const place = file === undefined ? '' : `${file}:${at}:${column} `;
  return `- ${place}${code}: ${sentenceOf(finding)}. ${fix}`;
}
