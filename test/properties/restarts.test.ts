import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { forEvery, timeLimit } from './explore.ts';
import { problemsAfter } from './restart.ts';
import { MODES, STORES, scripts } from './script.ts';
import { installTimers } from './timers.ts';

const RUNS = 40;

let restore = (): void => undefined;
beforeAll(() => {
  restore = installTimers();
});
afterAll(() => restore());

describe('from every version that was ever stored, another process brings the turn to its end', () => {
  for (const mode of MODES) {
    for (const store of STORES) {
      const cases = fc.record({
        script: scripts(mode, { fragile: false }),
        version: fc.nat(30),
        pickup: fc.constantFrom(
          'resume' as const,
          'message' as const,
          'cancel' as const,
          'step' as const,
        ),
      });
      test(`P6: ${mode} on ${store}`, { timeout: timeLimit(RUNS) }, () =>
        forEvery(cases, { runs: RUNS }, (each) => problemsAfter(each, store)),
      );
    }
  }
});
