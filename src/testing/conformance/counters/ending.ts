import assert from 'node:assert/strict';
import { refused } from '../thread-store/case.ts';
import type { CountersCase } from './counting.ts';

export const endingCases: readonly CountersCase[] = [
  {
    name: 'end: a value goes away in its time, counted from the increment that began it',
    check: async ({ counters, pass }) => {
      await counters.increment('key', { by: 5, expiresInMs: 60_000 });
      pass(59_000);
      assert.equal(await counters.increment('key', { by: 2, expiresInMs: 60_000 }), 7);
      pass(999);
      assert.equal(await counters.read('key'), 7);
      pass(1);
      assert.equal(await counters.read('key'), 0);
      assert.equal(await counters.increment('key', { expiresInMs: 60_000 }), 1);
      pass(59_999);
      assert.equal(await counters.read('key'), 1);
      pass(1);
      assert.equal(await counters.read('key'), 0);
    },
  },
  {
    name: 'end: a value without one stays, and one that ran out begins anew without',
    check: async ({ counters, pass }) => {
      await counters.increment('stays');
      await counters.increment('ends', { expiresInMs: 60_000 });
      pass(60_000);
      assert.equal(await counters.increment('ends', { by: 3 }), 3);
      pass(10 * 365 * 86_400_000);
      assert.equal(await counters.read('stays'), 1);
      assert.equal(await counters.read('ends'), 3);
    },
  },
  {
    name: 'end: a refused increment begins no time',
    check: async ({ counters, pass }) => {
      assert.equal(await counters.increment('key', { by: 5, max: 4, expiresInMs: 60_000 }), 5);
      pass(59_000);
      await counters.increment('key', { by: 2, max: 4, expiresInMs: 60_000 });
      pass(59_999);
      assert.equal(await counters.read('key'), 2);
      pass(1);
      assert.equal(await counters.read('key'), 0);
    },
  },
  {
    name: 'end: what ran out is out of the way of the highest value allowed',
    check: async ({ counters, pass }) => {
      await counters.increment('key', { by: 10, max: 10, expiresInMs: 60_000 });
      assert.equal(await counters.increment('key', { max: 10, expiresInMs: 60_000 }), 11);
      pass(60_000);
      assert.equal(await counters.increment('key', { max: 10, expiresInMs: 60_000 }), 1);
    },
  },
  {
    name: 'end: hundreds that ran out are in nobody’s way, and those that run stay',
    check: async ({ counters, pass }) => {
      await counters.increment('runs', { expiresInMs: 1_000_000 });
      for (let at = 0; at < 200; at++)
        await counters.increment(`old ${at}`, { expiresInMs: 60_000 });
      pass(60_000);
      for (let at = 0; at < 20; at++)
        await counters.increment(`new ${at}`, { expiresInMs: 60_000 });
      for (let at = 0; at < 200; at++) assert.equal(await counters.read(`old ${at}`), 0);
      for (let at = 0; at < 20; at++) assert.equal(await counters.read(`new ${at}`), 1);
      assert.equal(await counters.read('runs'), 1);
    },
  },
  {
    name: 'end: one that is further off than a clock can say never comes',
    check: async ({ counters, pass }) => {
      for (const expiresInMs of [Number.MAX_SAFE_INTEGER, 1e17, Number.MAX_VALUE]) {
        const key = `until ${expiresInMs}`;
        assert.equal(await counters.increment(key, { by: 2, expiresInMs }), 2);
        pass(86_400_000);
        assert.equal(await counters.increment(key, { expiresInMs }), 3);
        assert.equal(await counters.read(key), 3);
      }
    },
  },
  {
    name: 'end: one that is no time is refused',
    check: async ({ counters }) => {
      for (const expiresInMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await refused(
          'invalid-input',
          () => counters.increment('key', { expiresInMs }),
          `expiresInMs ${expiresInMs}`,
        );
      }
      assert.equal(await counters.read('key'), 0);
    },
  },
];
