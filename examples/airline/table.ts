import type { Recording } from './recording.ts';
import type { Counts, Tally } from './tally.ts';

export interface Row {
  readonly recording: Recording;
  readonly tally: Tally;
}

const COLUMNS = ['steps', 'calls', 'blocked', 'confirmations', 'retries'] as const;

/** One line a conversation, and a line for all. `3+2` is three until the divergence and two after it. */
export function table(rows: readonly Row[]): string {
  const lines = [
    ['conversation', 'reward', ...COLUMNS, 'diverged', 'by policy'],
    ...rows.map(({ recording, tally }) => [
      recording.id,
      String(recording.reward),
      ...COLUMNS.map((column) => cell(tally.until[column], tally.after[column], tally.diverged)),
      tally.diverged ? 'yes' : 'no',
      policies(tally.byPolicy),
    ]),
    ['all', '', ...COLUMNS.map((column) => totalOf(rows, column)), '', policies(sum(rows))],
  ];
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths?.[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(until: number, after: number, diverged: boolean): string {
  return diverged ? `${until}+${after}` : String(until);
}

function totalOf(rows: readonly Row[], column: keyof Counts): string {
  const add = (part: 'until' | 'after'): number =>
    rows.reduce((total, { tally }) => total + tally[part][column], 0);
  return cell(add('until'), add('after'), true);
}

function sum(rows: readonly Row[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const { tally } of rows) {
    for (const [policy, count] of tally.byPolicy) all.set(policy, (all.get(policy) ?? 0) + count);
  }
  return all;
}

function policies(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([policy, count]) => `${policy} ${count}`).join(', ') || '-';
}
