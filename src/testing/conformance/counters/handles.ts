import assert from 'node:assert/strict';
import type { CountersCase } from './counting.ts';

/** For counters that several processes share. */
export const handleCounterCases: readonly CountersCase[] = [
  {
    name: 'handles: one sees what another counted, at once',
    check: async ({ counters, another, pass }) => {
      assert.ok(another, 'this case needs `another`');
      const other = await another();
      await counters.increment('key', { by: 2, expiresInMs: 60_000 });
      assert.equal(await other.read('key'), 2);
      assert.equal(await other.increment('key', { by: 3 }), 5);
      assert.equal(await counters.increment('key', { max: 5 }), 6);
      pass(60_000);
      assert.equal(await other.read('key'), 0);
    },
  },
  {
    name: 'handles: increments of several at once are all counted, and no more pass than there is room for',
    check: async ({ counters, another }) => {
      assert.ok(another, 'this case needs `another`');
      const all = [counters, await another(), await another(), await another()];
      const attempts = Array.from({ length: 100 }, (_, at) => all[at % all.length] ?? counters);
      const values = await Promise.all(
        attempts.map(async (handle) => {
          await handle.increment('all');
          return handle.increment('some', { by: 2, max: 61, expiresInMs: 60_000 });
        }),
      );
      assert.equal(await counters.read('all'), 100);
      assert.equal(values.filter((value) => value <= 61).length, 30);
      assert.equal(await counters.read('some'), 60);
    },
  },
];
