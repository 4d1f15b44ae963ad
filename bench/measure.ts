import { ANSWER, counts, expectedCounts, type Turn, type Work } from './work.ts';

/** One way to do the same work, measured beside others. */
export interface Candidate {
  readonly name: string;
  readonly work: Work;
  /** Builds what is not timed. Called once for every sample. */
  readonly prepare: () => Turn | Promise<Turn>;
  /** Turns timed in one sample: enough that the clock can tell. */
  readonly turns: number;
  /** Conversations that one call of the turn runs at once. Default: 1. With more there is no turn before the timed ones. */
  readonly conversations?: number;
}

export interface Rounds {
  readonly warmUp: number;
  readonly rounds: number;
}

/**
 * Runs the candidates in turn, again and again, so that a slow moment of the machine hits all of them. Gives the
 * median microseconds of one turn of each. Throws when one of them did not do the work.
 */
export async function interleave<Name extends string>(
  candidates: readonly (Candidate & { readonly name: Name })[],
  { warmUp, rounds }: Rounds,
): Promise<ReadonlyMap<Name, number>> {
  const times = new Map(candidates.map(({ name }): [Name, number[]] => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const candidate of candidates) {
      const us = await sample(candidate);
      if (round >= 0) times.get(candidate.name)?.push(us);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

/**
 * The first turn is not timed: nobody pays for the caches that the candidate before left cold, which a crowd warms
 * by itself. What was done is compared with what was asked for once the clock has stopped.
 */
async function sample(candidate: Candidate): Promise<number> {
  const turn = await candidate.prepare();
  counts.tools = 0;
  counts.guards = 0;
  const texts = candidate.conversations === undefined ? [await turn()] : [];
  const started = performance.now();
  for (let index = 0; index < candidate.turns; index += 1) texts.push(await turn());
  const ms = performance.now() - started;
  check(candidate, texts);
  return (ms / candidate.turns) * 1000;
}

function check(candidate: Candidate, texts: readonly string[]): void {
  const { name, work, conversations = 1 } = candidate;
  const expected = expectedCounts(work);
  const times = texts.length * conversations;
  const done =
    texts.every((text) => text === ANSWER) &&
    counts.tools === expected.tools * times &&
    counts.guards === expected.guards * times;
  if (done) return;
  const asked = `${times} × ${JSON.stringify({ text: ANSWER, ...expected })}`;
  throw new Error(
    `${name} did ${JSON.stringify({ text: texts.at(-1), ...counts })}, and not ${asked}, of ${JSON.stringify(work)}`,
  );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
