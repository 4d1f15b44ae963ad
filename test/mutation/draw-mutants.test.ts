import { expect, test } from 'vitest';
import { keyOf, listMutants, makeOnly, partOf } from './draw-mutants.ts';

const FILE = 'src/decisions/fold.ts';

test('every mutant has a key of its own, and is in one part, whatever made it', async () => {
  const mutants = await listMutants([FILE]);
  expect(mutants.length).toBeGreaterThan(50);
  expect(new Set(mutants.map(keyOf)).size).toBe(mutants.length);
  const parts = mutants.map((mutant) => partOf(mutant, 4));
  expect(new Set(parts)).toEqual(new Set([0, 1, 2, 3]));
  expect((await listMutants([FILE])).map((mutant) => partOf(mutant, 4))).toEqual(parts);
});

test('only the chosen mutants are made, be they around others or inside of them', async () => {
  const all = await listMutants([FILE]);
  for (const part of [0, 1]) {
    const chosen = all.filter((mutant) => partOf(mutant, 2) === part);
    makeOnly(chosen);
    expect((await listMutants([FILE])).map(keyOf)).toEqual(chosen.map(keyOf));
  }
});
