import { type Candidate, interleave, type Rounds } from './measure.ts';
import { countCommits } from './ours-sqlite.ts';
import { type PerContender, ratios, round, type StepsRow } from './rows.ts';
import type { Contender, ContenderName, GuardKind, Work } from './work.ts';

/** A row before anything was measured on a disk. */
type InMemoryRow = Omit<StepsRow, 'sqliteCommitsPerStep'>;

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
): Promise<InMemoryRow[]> {
  const rows: InMemoryRow[] = [];
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
  for (const guards of GUARDS) {
    for (const calls of [1, 4]) {
      const work: Work = { steps, calls, guards };
      const candidates = contenders.map((contender) => candidate(contender, work, plan.sample));
      await interleave(candidates, { warmUp: plan.heat, rounds: 0 });
    }
  }
}

/** Turns of every length, in turn: how long and short ones compare must not hang on when each was measured. */
async function measureLengths(
  contenders: readonly Contender[],
  kind: Pick<Work, 'calls' | 'guards'>,
  plan: StepsPlan,
): Promise<InMemoryRow[]> {
  const candidates = plan.steps.flatMap((steps) =>
    contenders.map((contender) => ({
      ...candidate(contender, { ...kind, steps }, plan.sample),
      name: `${steps} ${contender.name}`,
    })),
  );
  const us = await interleave(candidates, plan);
  return plan.steps.map((steps) => {
    const usPerStep: PerContender = Object.fromEntries(
      contenders.map(({ name }) => [
        name,
        round((us.get(`${steps} ${name}`) ?? Number.NaN) / steps),
      ]),
    );
    return { ...kind, steps, usPerStep, ratio: ratios(usPerStep) };
  });
}

/**
 * The same rows on a disk, which is slow enough to be timed with fewer steps and rounds. To be called when all else is
 * measured: a process that has run on two stores is compiled for both, as no app's is.
 */
export async function addOnDisk(
  rows: readonly InMemoryRow[],
  sqlite: Contender,
  plan: StepsPlan,
): Promise<StepsRow[]> {
  const rounds = { warmUp: Math.ceil(plan.warmUp / 6), rounds: Math.ceil(plan.rounds / 6) };
  const added: StepsRow[] = [];
  for (const row of rows) {
    const { steps, calls, guards } = row;
    const work: Work = { steps, calls, guards };
    const us = await interleave([candidate(sqlite, work, plan.sample / 10)], rounds);
    const usPerStep = { ...row.usPerStep, sqlite: round((us.get('sqlite') ?? Number.NaN) / steps) };
    const sqliteCommitsPerStep = round((await countCommits(work)) / steps);
    added.push({ ...row, usPerStep, ratio: ratios(usPerStep), sqliteCommitsPerStep });
  }
  console.log('measured the same turns on a disk');
  return added;
}

function candidate(
  { name, prepare }: Contender,
  work: Work,
  sample: number,
): Candidate & { readonly name: ContenderName } {
  const turns = Math.max(1, Math.floor(sample / work.steps));
  return { name, work, prepare: () => prepare(work), turns };
}
