import type { Finding } from '../errors/hook-validation-error.ts';
import { type CheckedSources, placeKey } from './static/check-sources.ts';
import type { StaticFinding } from './static/static-finding.ts';

/**
 * Both lists as one, in the order of the files. A fault that was seen when the file was loaded and again when it
 * was read counts once: where it was read, as that place is exact. Different faults never hide each other. An open
 * point is none where the hook was seen to change nothing.
 */
export function mergeFindings(
  loaded: readonly Finding[],
  { found: read, silent }: CheckedSources,
): readonly Finding[] {
  const kept = withoutSeen(loaded, read).filter(
    ({ code, file = '', line, member = '' }) =>
      code !== 'open-point' || !silent.has(placeKey(file, line, member)),
  );
  const causes = [...kept, ...read.map(({ finding }) => finding)].filter(
    ({ code, severity }) => code !== 'type-error' && severity === 'error',
  );
  const precise = read.filter(({ finding, from, to, isWholeMember }) => {
    if (isWholeMember !== true) return true;
    return !causes.some(
      ({ file, line }) => file === finding.file && line !== undefined && line >= from && line <= to,
    );
  });
  return [...kept, ...precise.map(({ finding }) => finding)].sort(inPlace);
}

function withoutSeen(
  loaded: readonly Finding[],
  read: readonly StaticFinding[],
): readonly Finding[] {
  const budget = new Map<string, number>();
  for (const { finding } of read) {
    const key = keyOf(finding);
    budget.set(key, (budget.get(key) ?? 0) + 1);
  }
  return loaded.filter((finding) => {
    const key = keyOf(finding);
    const left = budget.get(key) ?? 0;
    // One broken import, or one syntax error, is all that loading a file can show.
    if (!isWholeFile(finding)) budget.set(key, left - 1);
    return left <= 0;
  });
}

function keyOf(finding: Finding): string {
  const member = isWholeFile(finding) ? undefined : finding.member;
  return JSON.stringify([finding.file, finding.code, member]);
}

function isWholeFile({ code }: Finding): boolean {
  return code === 'syntax-error' || code === 'missing-import';
}

function inPlace(a: Finding, b: Finding): number {
  if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
