import { expect, test } from 'vitest';
import { builtWhenUsed } from '../../src/internal/built-when-used.ts';

test('nothing is built before it is used', () => {
  let builds = 0;
  const thing = builtWhenUsed(() => ({ number: ++builds }));
  expect(builds).toBe(0);
  expect(thing().number).toBe(1);
});

test('every call gives the same', () => {
  const thing = builtWhenUsed(() => ({}));
  expect(thing()).toBe(thing());
});

test('what could not be built is tried again', () => {
  let builds = 0;
  const thing = builtWhenUsed(() => {
    builds += 1;
    if (builds === 1) throw new Error('broken');
    return { builds };
  });
  expect(thing).toThrow('broken');
  expect(thing()).toEqual({ builds: 2 });
});
