import type { ReplayCount, ReplayReport } from '../../testing/replay/report.ts';

/** What turns a replay into exit code 1. */
export type FailOn = ReadonlySet<string>;

/** Decisions that change nothing: whoever only has these has nothing to report. */
const LETS_PASS: ReadonlySet<string> = new Set([
  'allow',
  'proceed',
  'accept',
  'keep',
  'release',
  'abstain',
]);

const DECISIONS: readonly string[] = [
  ...LETS_PASS,
  'block',
  'requires-confirmation',
  'retry-with-feedback',
  'modify',
  'summarize',
  'recover',
  'abort',
  'fallback',
  'silent',
];

const KINDS: readonly string[] = ['any', 'failed', 'difference', 'none', ...DECISIONS];

/** Reads the kinds of `--fail-on`, or says which is none. */
export function readFailOn(
  text: string | undefined,
  { compares }: { readonly compares: boolean },
): FailOn | { readonly problem: string } {
  if (text === undefined) return new Set(compares ? ['difference', 'failed'] : ['any']);
  const kinds = text.split(',').map((kind) => kind.trim());
  const stray = kinds.find((kind) => !KINDS.includes(kind));
  if (stray !== undefined)
    return { problem: `--fail-on knows no '${stray}'; it takes: ${KINDS.join(', ')}` };
  if (kinds.includes('none') && kinds.length > 1) return { problem: '--fail-on none stands alone' };
  if (kinds.includes('difference') && !compares)
    return { problem: '--fail-on difference needs --against <file>' };
  return new Set(kinds);
}

/** True for what a reader wants to see of a conversation. */
export function isNews(decision: string): boolean {
  return !LETS_PASS.has(decision);
}

/**
 * True where a replay found what it was to fail on. What policies on trial say is enforced nowhere, and behind a
 * divergence nobody knows what would have been decided: neither counts. A policy that fails does so anywhere.
 */
export function fails({ decisions, differences }: ReplayReport, failOn: FailOn): boolean {
  if (failOn.has('difference') && (differences?.until ?? 0) > 0) return true;
  return decisions.some((count) => isAskedFor(count, failOn));
}

function isAskedFor({ decision, shadow, until, after }: ReplayCount, failOn: FailOn): boolean {
  if (shadow === true) return false;
  const isFailure = decision === 'failed';
  const counts = isFailure ? until + after : until;
  return counts > 0 && (failOn.has(decision) || (failOn.has('any') && isNews(decision)));
}
