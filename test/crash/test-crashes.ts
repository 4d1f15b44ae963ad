import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildChild } from './build-child.ts';
import type { StorePlace } from './plan.ts';
import { runCrashes } from './run-crashes.ts';

const KILLS = 50;
/** Changed by hand where a failure has to come again. */
const SEED = 1;

export function testCrashes(newPlace: () => StorePlace): void {
  let child: Awaited<ReturnType<typeof buildChild>>;

  beforeAll(async () => {
    child = await buildChild(join(import.meta.dirname, 'child.ts'));
  }, 60_000);
  afterAll(() => child.remove());

  test(`${KILLS} times killed at a commit or at any moment: nothing is paid twice, lost or forgotten`, async () => {
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const place = newPlace();
    const report = await runCrashes({ script: child.script, place, kills: KILLS, seed: SEED, log });
    expect(report.problems, lines.join('\n')).toEqual([]);
    expect(report.kills).toBe(KILLS);
    // Otherwise nothing has been put to the test.
    expect(report.effects).toBeGreaterThan(KILLS / 2);
    expect(report.storedResults).toBeGreaterThan(KILLS / 2);
  }, 300_000);
}
