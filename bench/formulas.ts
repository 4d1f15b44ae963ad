import type { HistoryRow, Results, SplitRow, StepsRow, ThreadsRow } from './rows.ts';
import { round } from './rows.ts';
import type { ContenderName } from './work.ts';

/** One thing that has to hold, and whether it does. */
export interface Formula {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly passed: boolean;
}

const PEERS: readonly ContenderName[] = ['ai', 'pi', 'pi-loop'];

/** Everything that is asked of the figures. */
export function judge(results: Results): Formula[] {
  return [
    ...results.steps.filter(isGuarded).flatMap(guardedSteps),
    ...growth(results.steps),
    ...history(results.history),
    split(results.split),
    ...results.threads.flatMap(crowd),
    ...commits(results.steps),
    ...PEERS.flatMap((peer) => fasterThan(peer, results)),
  ];
}

function formula(name: string, value: number, limit: number): Formula {
  return { name, value: round(value), limit: round(limit), passed: value <= limit };
}

function isGuarded({ guards }: StepsRow): boolean {
  return guards !== 'none';
}

function what({ guards, calls }: StepsRow): string {
  const kind = guards === 'none' ? 'no' : guards;
  return `${kind} guards, ${calls === 1 ? 'one call' : `${calls} calls`}`;
}

function guardedSteps(row: StepsRow): Formula[] {
  if (row.steps !== 50 && row.steps !== 200) return [];
  const name = `three guards at ${row.steps} steps <= 5 x bare (${what(row)})`;
  return [formula(name, row.ratio.memory ?? Number.NaN, 5)];
}

/** `(t200 - t100) / 100 <= 1.3 x (t100 - t10) / 90`: a late step costs what an early one does. */
function growth(rows: readonly StepsRow[]): Formula[] {
  return rows
    .filter((row) => row.steps === 200)
    .flatMap((row) => {
      const turn = (steps: number): number => {
        const same = (one: StepsRow): boolean =>
          one.steps === steps && one.guards === row.guards && one.calls === row.calls;
        return (rows.find(same)?.usPerStep.memory ?? Number.NaN) * steps;
      };
      const late = (turn(200) - turn(100)) / 100;
      const early = (turn(100) - turn(10)) / 90;
      return formula(`µs of a late step <= 1.3 x an early one (${what(row)})`, late, 1.3 * early);
    });
}

function history(rows: readonly HistoryRow[]): Formula[] {
  return rows.flatMap((row) => {
    const first = rows.find(({ messages, guards }) => messages === 0 && guards === row.guards);
    if (row.messages === 0 || first === undefined) return [];
    const ours = row.memoryUs - first.memoryUs;
    const bare = row.bareUs - first.bareUs;
    const name = `µs that ${row.messages} messages add <= 2 x bare's + 50 (${row.guards})`;
    return [formula(name, ours, 2 * bare + 50)];
  });
}

function split({ oneUs, tenUs }: SplitRow): Formula {
  return formula('ten policies of one method <= 1.5 x one policy of ten', tenUs / oneUs, 1.5);
}

function crowd({ threads, guards, ratio, peakMb }: ThreadsRow): Formula[] {
  const { bare = Number.NaN, memory = Number.NaN } = peakMb;
  return [
    formula(`${threads} threads at once <= 5 x bare (${guards})`, ratio.memory ?? Number.NaN, 5),
    formula(`MB of ${threads} threads above bare <= 60 (${guards})`, memory - bare, 60),
  ];
}

function commits(rows: readonly StepsRow[]): Formula[] {
  const most = Math.max(...rows.map(({ sqliteCommitsPerStep }) => sqliteCommitsPerStep));
  return [formula('SQLite commits a step <= 2', most, 2)];
}

/** The row where agent-hooks comes off worst; its time as a share of the peer's. */
function fasterThan(peer: ContenderName, results: Results): Formula[] {
  const rows = [
    ...results.steps.map((row) => ({ at: `${row.steps} steps, ${what(row)}`, us: row.usPerStep })),
    ...results.threads.map((row) => ({ at: `${row.threads} threads, ${row.guards}`, us: row.ms })),
  ];
  const shares = rows.flatMap(({ at, us }) => {
    const [own, other] = [us.memory, us[peer]];
    return own === undefined || other === undefined ? [] : [{ at, share: own / other }];
  });
  const [worst] = shares.toSorted((a, b) => b.share - a.share);
  if (worst === undefined) return [];
  const slower = shares.filter(({ share }) => share >= 1).length;
  const name = `faster than ${peer} in every row: share of its time, at worst (${worst.at}; slower in ${slower} of ${shares.length} rows)`;
  return [{ ...formula(name, worst.share, 1), passed: slower === 0 }];
}
