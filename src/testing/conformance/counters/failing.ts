import assert from 'node:assert/strict';
import { AgentHooksError } from '../../../errors/base.ts';
import type { CountersCase } from './counting.ts';

/** For counters that can be out of reach. */
export const failingCases: readonly CountersCase[] = [
  {
    name: 'failure: counters that cannot count throw a typed error without the key, and never a number',
    check: async ({ counters, fail }) => {
      assert.ok(fail, 'this case needs `fail`');
      await counters.increment('tenant 4711');
      await fail();
      for (const attempt of [
        () => counters.increment('tenant 4711'),
        () => counters.increment('tenant 4711', { by: 5, max: 1 }),
        () => counters.read('tenant 4711'),
      ]) {
        const thrown = await thrownBy(attempt);
        assert.ok(AgentHooksError.isInstance(thrown), `no typed error: ${String(thrown)}`);
        assert.match(thrown.code, /^store-/);
        assert.doesNotMatch(thrown.message, /4711/);
      }
    },
  },
];

async function thrownBy(attempt: () => unknown): Promise<unknown> {
  try {
    return `it gave ${String(await attempt())}`;
  } catch (error) {
    return error;
  }
}
