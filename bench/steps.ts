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
  for (const calls of [1, 4]) {
    for (const guards of GUARDS) {
      rows.push(...(await measureLengths(contenders, { calls, guards }, plan)));
      console.log(`measured turns with ${calls} calls a step and ${guards} guards`);
    }
  }
  // The kinds of guards are in their order already.
  return rows.toSorted((a, b) => a.steps - b.steps || a.calls - b.calls);
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

/** Turns of every length, in turn: how long and short ones compare must not hang on when each was measured. */
async function measureLengths(
  contenders: readonly Contender[],
  kind: Pick<Work, 'calls' | 'guards'>,
  plan: StepsPlan,
): Promise<StepsRow[]> {
  const candidates = plan.steps.flatMap((steps) =>
    contenders.map((contender) => ({
      ...candidate(contender, { ...kind, steps }, plan.sample),
      name: `${steps} ${contender.name}`,
    })),
  );
  const us = await interleave(candidates, plan);
  const rows: StepsRow[] = [];
  for (const steps of plan.steps) {
    const usPerStep: PerContender = Object.fromEntries(
      contenders.map(({ name }) => [
        name,
        round((us.get(`${steps} ${name}`) ?? Number.NaN) / steps),
      ]),
    );
    const work: Work = { ...kind, steps };
    const sqliteCommitsPerStep = round((await countCommits(work)) / steps);
    rows.push({ ...work, usPerStep, ratio: ratios(usPerStep), sqliteCommitsPerStep });
  }
  return rows;
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
