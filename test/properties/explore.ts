import fc from 'fast-check';
import { expect } from 'vitest';

/** The same runs every time, unless PROPERTY_SEED and PROPERTY_RUNS ask for others. A failure of one test is played again by `-t`. */
const seed = Number(process.env['PROPERTY_SEED'] ?? 20_260_101);

/** How many scripts one property plays. */
function runs(usual: number): number {
  const wanted = Number(process.env['PROPERTY_RUNS'] ?? 0);
  return wanted > 0 ? wanted : usual;
}

/** Milliseconds a property may take: time to make a failure small is in it. */
export function timeLimit(usual: number): number {
  return 20_000 + runs(usual) * 200;
}

/**
 * Plays one script after the other. A failure is made as small as it gets, and tells of its seed, of the script as
 * JSON, and of what does not hold.
 */
export async function forEvery<Value>(
  values: fc.Arbitrary<Value>,
  options: { readonly runs: number },
  problemsOf: (value: Value) => Promise<readonly string[]>,
): Promise<void> {
  let found: readonly string[] = [];
  const property = fc.asyncProperty(values, async (value) => {
    const problems = await problemsOf(value);
    if (problems.length > 0) found = problems;
    return problems.length === 0;
  });
  const details = await fc.check(property, {
    seed: seed + numberOf(expect.getState().currentTestName ?? ''),
    numRuns: runs(options.runs),
    interruptAfterTimeLimit: timeLimit(options.runs) - 5_000,
  });
  if (!details.failed) return;
  const [smallest] = details.counterexample ?? [];
  const problems = smallest === undefined ? found : await problemsOf(smallest);
  const told = problems.length > 0 ? problems : found;
  expect.fail(
    `seed ${details.seed}, after ${details.numRuns} runs and ${details.numShrinks} steps: ${JSON.stringify(smallest)}\n${told.join('\n')}${details.errorInstance ?? ''}`,
  );
}

/** Scripts of its own for every test. */
function numberOf(name: string): number {
  let number = 0;
  for (const character of name) number = (number * 31 + character.charCodeAt(0)) % 1_000_003;
  return number;
}
