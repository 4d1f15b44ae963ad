import { type Candidate, interleave, type Rounds } from './measure.ts';
import { countCommits } from './ours-sqlite.ts';
import { type PerContender, ratios, round, type StepsRow } from './rows.ts';
import type { Contender, ContenderName, GuardKind, Work } from './work.ts';

const GUARDS: readonly GuardKind[] = ['none', 'same-tick', 'event-loop'];

export interface StepsPlan extends Rounds {
  /** How many samples of each kind of work everyone does before anything is measured. */
  readonly heat: number;
  readonly steps: readonly number[];
  /** About how many steps are timed in one sample. */
  readonly sample: number;
}

/** Every number of steps with one call a step and four, and with every kind of guards. */
export async function measureSteps(
  contenders: readonly Contender[],
  plan: StepsPlan,
): Promise<StepsRow[]> {
  const rows: StepsRow[] = [];
  await heatUp(contenders, plan);
  for (const steps of plan.steps) {
    for (const calls of [1, 4]) {
      for (const guards of GUARDS) {
        rows.push(await measureRow(contenders, { steps, calls, guards }, plan));
      }
    }
    console.log(`measured turns of ${steps} steps`);
  }
  return rows;
}

/**
 * Everyone does every kind of work for a while. A loop of thirty lines is compiled after a few turns, and a package
 * after some thousand: without this the first rows would compare compilers.
 */
async function heatUp(contenders: readonly Contender[], plan: StepsPlan): Promise<void> {
  const steps = Math.max(...plan.steps);
  const inMemory = contenders.filter(({ name }) => name !== 'sqlite');
  for (const guards of GUARDS) {
    for (const calls of [1, 4]) {
      const work: Work = { steps, calls, guards };
      const candidates = inMemory.map((contender) => candidate(contender, work, plan.sample));
      await interleave(candidates, { warmUp: plan.heat, rounds: 0 });
    }
  }
}

async function measureRow(
  contenders: readonly Contender[],
  work: Work,
  plan: StepsPlan,
): Promise<StepsRow> {
  const candidates = contenders.map((contender) => candidate(contender, work, plan.sample));
  const us = await interleave(candidates, plan);
  const usPerStep: PerContender = Object.fromEntries(
    [...us].map(([name, value]) => [name, round(value / work.steps)]),
  );
  const commits = await countCommits(work);
  return {
    ...work,
    usPerStep,
    ratio: ratios(usPerStep),
    sqliteCommitsPerStep: round(commits / work.steps),
  };
}

/** A disk is slow enough to be timed with fewer steps, and takes part less often. */
function candidate(
  { name, prepare }: Contender,
  work: Work,
  sample: number,
): Candidate & { readonly name: ContenderName } {
  const isOnDisk = name === 'sqlite';
  const turns = Math.max(1, Math.floor((isOnDisk ? sample / 10 : sample) / work.steps));
  return { name, work, prepare: () => prepare(work), turns, every: isOnDisk ? 6 : 1 };
}
