import assert from 'node:assert/strict';
import type { MaybePromise } from '../../../internal/maybe-promise.ts';
import type { Counters } from '../../../protocol/counters.ts';
import { refused } from '../thread-store/case.ts';

export interface CountersCase {
  readonly name: string;
  readonly check: (bench: {
    readonly counters: Counters;
    /** Moves the clock on. */
    readonly pass: (ms: number) => void;
    readonly another?: () => MaybePromise<Counters>;
    readonly fail?: () => MaybePromise<void>;
  }) => Promise<void>;
}

/** Keys that could meet each other, or something else, in a database. */
const HOSTILE_KEYS = [
  'a',
  'A',
  'a ',
  ' a',
  'a\n',
  '\u00e5',
  'a\u030a', // The same letter, written as two.
  'a:b',
  'a:{b}',
  '{a}:b',
  '{}',
  '}',
  '{',
  '%7D',
  '%257D',
  '*',
  '%',
  '_',
  '?',
  "'; DROP TABLE counters; --",
  '"quoted"',
  '$1',
  '__proto__',
  'constructor',
  'format',
  'threads',
  '😀',
  'key:value\\',
  'k'.repeat(1_024),
];

export const countingCases: readonly CountersCase[] = [
  {
    name: 'increment: adds to what is there, by 1 where nothing is said, and gives the new value',
    check: async ({ counters }) => {
      assert.equal(await counters.increment('key'), 1);
      assert.equal(await counters.increment('key', { by: 41 }), 42);
      assert.equal(await counters.increment('key', { by: -50 }), -8);
      assert.equal(await counters.increment('key', { by: 0 }), -8);
      assert.equal(await counters.read('key'), -8);
    },
  },
  {
    name: 'read: a counter nobody has incremented is 0',
    check: async ({ counters }) => {
      assert.equal(await counters.read('key'), 0);
    },
  },
  {
    name: 'increment: many at once are all counted, each with a value of its own',
    check: async ({ counters }) => {
      const values = await Promise.all(
        Array.from({ length: 50 }, async () => counters.increment('key')),
      );
      const sorted = [...values].sort((a, b) => a - b);
      assert.deepEqual(
        sorted,
        Array.from({ length: 50 }, (_, at) => at + 1),
      );
      assert.equal(await counters.read('key'), 50);
    },
  },
  {
    name: 'max: a value above it is given and not kept, one that meets it is',
    check: async ({ counters }) => {
      assert.equal(await counters.increment('key', { by: 11, max: 10 }), 11);
      assert.equal(await counters.read('key'), 0);
      assert.equal(await counters.increment('key', { by: 10, max: 10 }), 10);
      assert.equal(await counters.increment('key', { by: 1, max: 10 }), 11);
      assert.equal(await counters.read('key'), 10);
      await counters.increment('key', { by: -4 });
      assert.equal(await counters.increment('key', { by: 5, max: 10 }), 11);
      assert.equal(await counters.increment('key', { by: 4, max: 10 }), 10);
    },
  },
  {
    name: 'max: of many at once only as many pass as there is room for',
    check: async ({ counters }) => {
      const values = await Promise.all(
        Array.from({ length: 30 }, async () => counters.increment('key', { by: 3, max: 31 })),
      );
      assert.equal(values.filter((value) => value <= 31).length, 10);
      assert.equal(await counters.read('key'), 30);
    },
  },
  {
    name: 'numbers: the largest are exact, and a sum beyond them is refused and changes nothing',
    check: async ({ counters }) => {
      const large = Number.MAX_SAFE_INTEGER;
      assert.equal(await counters.increment('key', { by: large - 1 }), large - 1);
      assert.equal(await counters.increment('key'), large);
      await refused('invalid-input', () => counters.increment('key'));
      assert.equal(await counters.read('key'), large);
      assert.equal(await counters.increment('low', { by: -large }), -large);
      await refused('invalid-input', () => counters.increment('low', { by: -1 }));
      assert.equal(await counters.read('low'), -large);
    },
  },
  {
    name: 'numbers: what is no whole number is refused, as sums of fractions drift',
    check: async ({ counters }) => {
      for (const by of [0.1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
        await refused('invalid-input', () => counters.increment('key', { by }), `by ${by}`);
        await refused('invalid-input', () => counters.increment('key', { max: by }), `max ${by}`);
      }
      assert.equal(await counters.read('key'), 0);
    },
  },
  {
    name: 'keys: each is a counter of its own, whatever its name is',
    check: async ({ counters }) => {
      for (const [at, key] of HOSTILE_KEYS.entries()) {
        assert.equal(await counters.increment(key, { by: at + 1 }), at + 1, key);
      }
      for (const [at, key] of HOSTILE_KEYS.entries()) {
        assert.equal(await counters.read(key), at + 1, key);
      }
    },
  },
  {
    name: 'keys: one that could meet another, or is empty, is refused',
    check: async ({ counters }) => {
      for (const key of ['', 'a\0b', '\ud800', 'k'.repeat(1_025), '\u00e5'.repeat(1_024)]) {
        const what = `key ${JSON.stringify(key.slice(0, 10))} of ${key.length} characters`;
        await refused('invalid-input', () => counters.increment(key), `increment, ${what}`);
        await refused('invalid-input', () => counters.read(key), `read, ${what}`);
      }
    },
  },
];
