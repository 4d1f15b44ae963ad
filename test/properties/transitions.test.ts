import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ThreadState } from '../../src/loop/state.ts';
import { forEvery, timeLimit } from './explore.ts';
import { deepFrozen } from './frozen.ts';
import { playScript } from './play-script.ts';
import { MODES, scripts } from './script.ts';
import { installTimers } from './timers.ts';

const RUNS = 75;
const seen = vi.hoisted(() => ({ problems: new Set<string>(), transitions: 0 }));

// Every transition of a real run is made three times: as it comes, on frozen arguments, and on a state read from JSON.
vi.mock(import('../../src/loop/step.ts'), async (importOriginal) => {
  const { step } = await importOriginal();
  return {
    step: (state, event, rules) => {
      seen.transitions += 1;
      const name = `'${event.type}' in '${state.phase.name}'`;
      const copy = JSON.parse(JSON.stringify(state)) as ThreadState; // a state is JSON
      if (!isDeepStrictEqual(copy, state)) seen.problems.add(`P8: the state is no JSON at ${name}`);
      const again = step(copy, event, rules);
      const once = step(deepFrozen(state), deepFrozen(event), rules);
      if (!isDeepStrictEqual(told(once), told(again))) seen.problems.add(`P8: ${name} differs`);
      return step(state, event, rules);
    },
  };
});

/** A transition as data: an error made twice is the same error in what it says. */
function told(transition: object): unknown {
  return JSON.parse(JSON.stringify(transition));
}

let restore = (): void => undefined;
beforeAll(() => {
  restore = installTimers();
});
beforeEach(() => {
  seen.problems.clear();
  seen.transitions = 0;
});
afterAll(() => restore());

describe('the pure step', () => {
  for (const mode of MODES) {
    test(`P8: ${mode}: the same state and event give the same, frozen, copied or read from JSON`, {
      timeout: timeLimit(RUNS),
    }, async () => {
      await forEvery(scripts(mode, { fragile: true }), { runs: RUNS }, async (script) => {
        seen.problems.clear();
        const problems = await playScript(script, 'memory');
        return [...problems, ...seen.problems];
      });
      expect(seen.transitions).toBeGreaterThan(RUNS);
    });
  }
});
