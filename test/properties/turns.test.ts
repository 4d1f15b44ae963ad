import { afterAll, beforeAll, describe, test } from 'vitest';
import { forEvery, timeLimit } from './explore.ts';
import { playScript } from './play-script.ts';
import { MODES, STORES, scripts } from './script.ts';
import { installTimers } from './timers.ts';

const RUNS = 20;

let restore = (): void => undefined;
beforeAll(() => {
  restore = installTimers();
});
afterAll(() => restore());

describe('whatever the model, the policies, the tools and people do, every turn is sound', () => {
  for (const mode of MODES) {
    for (const store of STORES) {
      test(`P1 to P7: ${mode} on ${store}`, { timeout: timeLimit(RUNS) }, () =>
        forEvery(scripts(mode, { fragile: false }), { runs: RUNS }, (script) =>
          playScript(script, store),
        ),
      );
    }
  }
});

describe('whenever a process is cancelled, fails or dies, every turn is sound', () => {
  for (const mode of MODES) {
    for (const store of STORES) {
      test(`P1 to P7: ${mode} on ${store}`, { timeout: timeLimit(RUNS) }, () =>
        forEvery(scripts(mode, { fragile: true }), { runs: RUNS }, (script) =>
          playScript(script, store),
        ),
      );
    }
  }
});
