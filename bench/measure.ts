/** One kind of work, measured against others in the same run. */
export interface Candidate {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

export interface Measured {
  readonly name: string;
  /** Median milliseconds of one run. */
  readonly ms: number;
}

/** Runs the candidates in turn, again and again, so that a slow moment of the machine hits all of them. */
export async function interleave(
  candidates: readonly Candidate[],
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<readonly Measured[]> {
  const times = candidates.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, candidate] of candidates.entries()) {
      const started = performance.now();
      await candidate.run();
      if (round >= 0) times[index]?.push(performance.now() - started);
    }
  }
  return candidates.map(({ name }, index) => ({ name, ms: median(times[index] ?? []) }));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
