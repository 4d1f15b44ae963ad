import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Counters } from '../../src/index.ts';
import { a, build, costing, tenantBudget } from './budget-desk.ts';

describe('L13: what the app gives later, or in an odd way', () => {
  const unhandled = vi.fn();
  beforeEach(() => {
    unhandled.mockClear();
    process.on('unhandledRejection', unhandled);
  });
  afterEach(() => {
    process.off('unhandledRejection', unhandled);
  });

  test.each(['key', 'limit'])('a %s that rejects fails the run, not the process', async (which) => {
    const later = () => Promise.reject(new Error('the database is down'));
    const budgets = [tenantBudget({ [which]: later as never })];
    const { agent, model } = build([costing(1)], { budgets });
    expect(await agent.run(a)).toMatchObject({
      status: 'failed',
      error: { name: 'BudgetError', code: 'budget-unknown' },
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(unhandled).not.toHaveBeenCalled();
    expect(model.calls).toBe(0);
  });

  test('counters whose promise throws when it is waited for fail the run, and leave no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const broken = new Error('no');
      const thrower = Object.assign(Promise.resolve(1), {
        // biome-ignore lint/suspicious/noThenProperty: that is what it is about
        then: () => {
          throw broken;
        },
      });
      const counters: Counters = { read: () => 0, increment: () => thrower };
      const { agent } = build([costing(1)], { counters });
      expect(await agent.run(a)).toMatchObject({
        error: { code: 'counters-failed', cause: broken },
      });
      await Promise.resolve();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a cancel does not wait for counters that are asked whether there is room', async () => {
    const asked = vi.fn();
    const never = new Promise<number>(() => undefined);
    const counters: Counters = {
      read: () => {
        asked();
        return never;
      },
      increment: () => 0,
    };
    const { agent, model } = build([costing(1)], { counters });
    const run = agent.run({ ...a, threadId: 't' });
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    await agent.cancel('t');
    expect(await run).toMatchObject({ status: 'cancelled' });
    expect(model.calls).toBe(0);
  });
});
