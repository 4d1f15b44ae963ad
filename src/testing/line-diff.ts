import { inspect } from 'node:util';

/** Beyond so many lines the places of changes are looked for no more: all of both is shown. */
const MAX_LINES = 500;

/**
 * Two values line by line, the lines only in the first marked `-`, those only in the second `+`; nothing where no
 * line differs, as where two values only look the same. Without colors: runners and logs show it as it is.
 */
export function lineDiff(expected: unknown, received: unknown): string | undefined {
  const [before, after] = [linesOf(expected), linesOf(received)];
  const lines =
    before.length * after.length > MAX_LINES ** 2 ? apart(before, after) : merge(before, after);
  if (lines.every((line) => line.startsWith('  '))) return undefined;
  return ['- expected', '+ received', '', ...lines].join('\n');
}

function linesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split('\n');
  const shown = inspect(value, { depth: 20, breakLength: 1, compact: false, sorted: true });
  return shown.split('\n');
}

function apart(before: readonly string[], after: readonly string[]): readonly string[] {
  return [...before.map((line) => `- ${line}`), ...after.map((line) => `+ ${line}`)];
}

/** By the longest run of lines that both have in the same order. */
function merge(before: readonly string[], after: readonly string[]): readonly string[] {
  const common = commonLengths(before, after);
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && before[row] === after[column]) {
      lines.push(`  ${before[row]}`);
      row += 1;
      column += 1;
    } else if (column === after.length || at(row + 1, column) >= at(row, column + 1)) {
      if (row === before.length) break;
      lines.push(`- ${before[row]}`);
      row += 1;
    } else {
      lines.push(`+ ${after[column]}`);
      column += 1;
    }
  }
  return [...lines, ...after.slice(column).map((line) => `+ ${line}`)];
}

/** How many lines the rests of both have in common, for every pair of places. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  for (let row = before.length - 1; row >= 0; row -= 1) {
    const [current = [], below = []] = [lengths[row], lengths[row + 1]];
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const isSame = before[row] === after[column];
      const [down = 0, right = 0, both = 0] = [
        below[column],
        current[column + 1],
        below[column + 1],
      ];
      current[column] = isSame ? both + 1 : Math.max(down, right);
    }
  }
  return lengths;
}
