import { round } from '../rows.ts';
import { OURS } from './contender.ts';
import type { Formula, StorageRow } from './rows.ts';

/** A figure at the longest history is at most 1.3 times that of a new thread. */
const FLAT = 1.3;

/** What has to hold of ours, whatever the length of the history. */
export function judgeStorage(rows: readonly StorageRow[]): Formula[] {
  return OURS.flatMap((name) => {
    const own = rows.filter((row) => row.name === name);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined || first === last) return [];
    const grows = (what: string, value: number): Formula => ({
      name: `${name}: ${what} at ${last.history} messages / at ${first.history}`,
      value: round(value),
      limit: FLAT,
      passed: value <= FLAT,
      isTime: what.startsWith('time'),
    });
    return [
      grows('time of a commit', first.commitsPerSecond / last.commitsPerSecond),
      grows('commits a step', last.commitsPerStep / first.commitsPerStep),
      grows('rows a step', last.rowsPerStep / first.rowsPerStep),
      // The room of a JavaScript array grows in leaps of half its length, so memory is not judged by its bytes.
      ...(last.loggedPerStep === undefined || first.loggedPerStep === undefined
        ? []
        : [
            grows('bytes stored a step', last.storedPerStep / first.storedPerStep),
            grows('bytes logged a step', last.loggedPerStep / first.loggedPerStep),
          ]),
    ].filter(({ value }) => Number.isFinite(value));
  });
}
