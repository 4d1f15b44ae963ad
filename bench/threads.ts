import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Candidate, interleave, median, type Rounds } from './measure.ts';
import { type PerContender, ratios, round, type ThreadsRow } from './rows.ts';
import {
  ANSWER,
  type Contender,
  type ContenderName,
  type GuardKind,
  type Turn,
  type Work,
} from './work.ts';

export interface Crowd {
  readonly threads: number;
  readonly steps: number;
  readonly guards: readonly GuardKind[];
  readonly rounds: Rounds;
  /** Fresh processes per contender. */
  readonly processes: number;
}

/** All threads at once: the time in this process, where all is warm, and the memory in fresh ones. */
export async function measureThreads(
  contenders: readonly Contender[],
  crowd: Crowd,
): Promise<ThreadsRow[]> {
  const rows: ThreadsRow[] = [];
  for (const guards of crowd.guards) {
    const { threads, steps } = crowd;
    const work: Work = { steps, calls: 1, guards };
    const candidates = contenders.map((contender) => candidate(contender, work, threads));
    const us = await interleave(candidates, crowd.rounds);
    const ms: PerContender = Object.fromEntries(
      [...us].map(([name, value]) => [name, round(value / 1000)]),
    );
    const names = contenders.map(({ name }) => name);
    const peakMb = await measureMemory(names, work, crowd);
    console.log(`measured ${threads} threads at once, ${guards}`);
    rows.push({ threads, steps, guards, ms, ratio: ratios(ms), peakMb });
  }
  return rows;
}

function candidate(
  { name, prepare }: Contender,
  work: Work,
  threads: number,
): Candidate & { readonly name: ContenderName } {
  return {
    name,
    work,
    prepare: () => allAtOnce(prepare(work), threads),
    turns: 1,
    conversations: threads,
  };
}

/** One turn on each of so many threads, as one. */
export function allAtOnce(turn: Turn, threads: number): Turn {
  return async () => {
    const texts = await Promise.all(Array.from({ length: threads }, turn));
    return texts.every((text) => text === ANSWER) ? ANSWER : 'another text';
  };
}

async function measureMemory(
  names: readonly ContenderName[],
  work: Work,
  { threads, processes }: Crowd,
): Promise<PerContender> {
  const peaks = new Map(names.map((name): [ContenderName, number[]] => [name, []]));
  for (let index = 0; index < processes; index += 1) {
    for (const name of names) peaks.get(name)?.push(await peakOf(name, work, threads));
  }
  return Object.fromEntries([...peaks].map(([name, values]) => [name, round(median(values))]));
}

async function peakOf(name: ContenderName, work: Work, threads: number): Promise<number> {
  const file = new URL('threads-process.ts', import.meta.url).pathname;
  const args = [...process.execArgv, file, name, JSON.stringify(work), String(threads)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}
