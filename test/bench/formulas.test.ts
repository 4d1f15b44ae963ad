import { describe, expect, test } from 'vitest';
import { judge } from '../../bench/formulas.ts';
import type { PerContender, Results, StepsRow } from '../../bench/rows.ts';

const row = (steps: number, memory: number, more: Partial<StepsRow> = {}): StepsRow => ({
  steps,
  calls: 1,
  guards: 'same-tick',
  usPerStep: { bare: 2, memory, ai: 60, pi: 20 },
  ratio: { memory: memory / 2 },
  sqliteCommitsPerStep: 2,
  ...more,
});

const good: Results = {
  steps: [row(10, 10), row(50, 10), row(100, 10), row(200, 10)],
  history: [
    { messages: 0, guards: 'none', bareUs: 4, memoryUs: 20 },
    { messages: 5_000, guards: 'none', bareUs: 24, memoryUs: 110 },
  ],
  split: { steps: 50, oneUs: 10, tenUs: 15 },
  threads: [crowd({ bare: 80, memory: 140 })],
  imports: [],
  sizes: { own: 1, withPackages: 2 },
  createAgentUs: 1,
};

function crowd(peakMb: PerContender, memory = 5): Results['threads'][number] {
  const ms = { bare: 1, memory, ai: 9, pi: 6 };
  return { threads: 1_000, steps: 10, guards: 'same-tick', ms, ratio: { memory }, peakMb };
}

const failing = (results: Partial<Results>): string[] =>
  judge({ ...good, ...results })
    .filter(({ passed }) => !passed)
    .map(({ name }) => name);

describe('what is asked of the figures', () => {
  test('figures at the limits pass', () => {
    expect(failing({})).toEqual([]);
    expect(judge(good)).toHaveLength(10);
  });

  test('more than five times bare fails at 50 and at 200 steps', () => {
    const slow = [row(10, 10.2), row(50, 10.2), row(100, 10.2), row(200, 10.2)];
    expect(failing({ steps: slow })).toEqual([
      'three guards at 50 steps <= 5 x bare (same-tick guards, one call)',
      'three guards at 200 steps <= 5 x bare (same-tick guards, one call)',
    ]);
  });

  test('a late step that costs more than an early one fails', () => {
    const growing = [row(10, 6), row(100, 6), row(200, 8)];
    expect(failing({ steps: growing })).toEqual([
      'µs of a late step <= 1.3 x an early one (same-tick guards, one call)',
    ]);
  });

  test('a history that costs twice what it costs the bare loop and more fails', () => {
    const [first, last] = good.history;
    if (first === undefined || last === undefined) throw new Error('no history');
    expect(failing({ history: [first, { ...last, memoryUs: 110.1 }] })).toHaveLength(1);
  });

  test('ten policies that cost more than one and a half times one with all ten methods fail', () => {
    expect(failing({ split: { steps: 50, oneUs: 10, tenUs: 15.1 } })).toEqual([
      'ten policies of one method <= 1.5 x one policy of ten',
    ]);
  });

  test('time and memory of many threads are judged', () => {
    expect(failing({ threads: [crowd({ bare: 80, memory: 140.1 })] })).toHaveLength(1);
    expect(failing({ threads: [crowd({ bare: 80, memory: 140 }, 5.1)] })).toHaveLength(1);
  });

  test('a third commit fails', () => {
    const steps = [...good.steps, row(1, 10, { sqliteCommitsPerStep: 3 })];
    expect(failing({ steps })).toEqual(['SQLite commits a step <= 2']);
  });

  test('one row in which a peer is as fast fails, and is named', () => {
    const steps = [...good.steps, row(1, 20)];
    expect(failing({ steps })).toEqual([
      'faster than pi in every row: share of its time, at worst (1 steps, same-tick guards, one call; slower in 1 of 6 rows)',
    ]);
  });

  test('a figure that is missing passes nothing', () => {
    expect(failing({ steps: [row(50, 10, { ratio: {} })] })).toEqual([
      'three guards at 50 steps <= 5 x bare (same-tick guards, one call)',
    ]);
  });
});
