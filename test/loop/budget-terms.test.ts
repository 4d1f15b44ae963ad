import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Budget,
  type Counters,
  createAgent,
  readBudget,
  scriptedModel,
} from '../../src/index.ts';
import { memoryCounters } from '../../src/stores/memory-counters.ts';
import { a, build, costing, type Tenant, tenantBudget } from './budget-desk.ts';

describe('who spends, and how much they may', () => {
  test.each([
    ['undefined', () => undefined],
    ['the empty text', () => ''],
    ['a number', () => 7],
    [
      'nothing, but throws',
      () => {
        throw new Error('who is it');
      },
    ],
  ])('a key that is %s is no budget without an end', async (_what, key) => {
    const budgets = [tenantBudget({ key: key as never })];
    const { agent, model } = build([costing(1)], { budgets });
    expect(await agent.run(a)).toMatchObject({
      status: 'failed',
      error: { name: 'BudgetError', code: 'budget-unknown' },
    });
    expect(model.calls).toBe(0);
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '20', undefined])(
    'a limit of %s is none',
    async (limit) => {
      const budgets = [tenantBudget({ limit: () => limit as never })];
      const { agent, model } = build([costing(1)], { budgets });
      expect(await agent.run(a)).toMatchObject({ error: { code: 'budget-unknown' } });
      expect(model.calls).toBe(0);
    },
  );

  test('null says that a run is not bound', async () => {
    const budgets = [tenantBudget({ key: () => null, limit: 1 })];
    const { agent } = build([costing(5), costing(5)], { budgets });
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
  });

  test('the key and an amount are in no error', async () => {
    const { agent } = build([costing(1)], {
      counters: {
        read: () => 0,
        increment: () => {
          throw new Error('down');
        },
      },
    });
    const result = await agent.run({ ...a, context: { tenant: 'secret-tenant' } });
    expect(JSON.stringify(Object(result).error)).not.toContain('secret-tenant');
    expect(String(Object(result).error.message)).not.toContain('secret-tenant');
  });
});

test('less than can be counted is reserved as one: a model that reports no usage is not free', async () => {
  const budgets = [tenantBudget({ limit: 0.000_003, reserve: 1e-10 })];
  const silent = { text: 'done', usage: { inputTokens: 0, outputTokens: 0 } };
  const { agent, model } = build([silent, silent, silent, silent], { budgets });
  for (let call = 0; call < 3; call++)
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
  expect(await agent.run(a)).toMatchObject({ limit: 'budget' });
  expect(model.calls).toBe(3);
});

describe('readBudget', () => {
  test('tells how a tenant stands, in the unit of the budget, calls under way included', async () => {
    const counters = memoryCounters();
    const budget = tenantBudget({ per: 'day', limit: 20 });
    let seen: unknown;
    const look = () => readBudget(budget, { counters, run: { context: { tenant: 'a' } } });
    const { agent } = build(
      [
        async () => {
          seen = await look();
          return costing(0.35);
        },
      ],
      { budgets: [budget], counters },
    );
    await agent.run(a);
    expect(seen).toEqual({ spent: 1, limit: 20 });
    expect(await look()).toEqual({ spent: 0.35, limit: 20 });
    const other = { counters, run: { context: { tenant: 'b' } } };
    expect(await readBudget(budget, other)).toEqual({ spent: 0, limit: 20 });
    expect(await readBudget(tenantBudget({ key: () => null }), other)).toBeUndefined();
  });

  test('gives no number where there is none, and refuses what is no budget', async () => {
    const counters: Counters = {
      read: () => Promise.reject(new Error('down')),
      increment: () => 0,
    };
    const run = { context: { tenant: 'a' } };
    await expect(readBudget(tenantBudget(), { counters, run })).rejects.toMatchObject({
      code: 'counters-failed',
    });
    const unknown = tenantBudget({ key: () => '' });
    await expect(readBudget(unknown, { counters, run })).rejects.toMatchObject({
      code: 'budget-unknown',
    });
    await expect(readBudget(tenantBudget({ reserve: 0 }), { counters, run })).rejects.toMatchObject(
      { code: 'invalid-option' },
    );
  });
});

describe('windows', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ['hour', undefined, '2026-03-01T10:59:59Z', '2026-03-01T11:00:00Z'],
    ['day', undefined, '2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z'],
    ['day', 'Europe/Berlin', '2026-03-01T22:59:59Z', '2026-03-01T23:00:00Z'],
    ['month', 'Europe/Berlin', '2026-03-31T21:59:59Z', '2026-03-31T22:00:00Z'],
    ['month', undefined, '2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z'],
  ] as const)('a new %s begins in %s', async (...[per, timeZone, before, after]) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(before) });
    const budgets = [tenantBudget({ per, limit: 1, ...(timeZone !== undefined && { timeZone }) })];
    const { agent } = build([costing(1), costing(1)], { budgets });
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
    expect(await agent.run(a)).toMatchObject({ limit: 'budget' });
    vi.setSystemTime(new Date(after));
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
    expect(await agent.run(a)).toMatchObject({ limit: 'budget' });
  });

  test('a call that ends in the next window is counted in its own', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T23:59:59Z') });
    const counters = memoryCounters();
    const { agent } = build(
      [
        () => {
          vi.setSystemTime(new Date('2026-03-02T00:00:01Z'));
          return costing(0.4);
        },
      ],
      { budgets: [tenantBudget({ per: 'day' })], counters },
    );
    await agent.run(a);
    expect(counters.read('budget:tenant:cost:day-year-2026-month-03-day-01:a')).toBe(400_000);
    expect(counters.read('budget:tenant:cost:day-year-2026-month-03-day-02:a')).toBe(0);
  });
});

describe('options that could not be kept to are refused', () => {
  test.each([
    [{ name: 'a:b' }, /name/],
    [{ limit: 0 }, /limit/],
    [{ limit: 0.5 }, /reserves more/],
    [{ limit: 0.000_001_5, reserve: 0.000_001_2 }, /reserves more/],
    [{ reserve: Number.NaN }, /reserve/],
    [{ per: 'week' as never }, /per/],
    [{ timeZone: 'Mars/Base' }, /time zone/],
    [{ unit: 'tokens', reserve: 0.5, limit: 9 }, /part of a token/],
    [{ key: 'tenant' as never }, /key/],
    [{ windw: 1 } as never, /windw/],
  ] as const)('%o', (more, message) => {
    expect(() => build([], { budgets: [tenantBudget(more as Partial<Budget<Tenant>>)] })).toThrow(
      message,
    );
  });

  test('costs without prices, and two of one name', () => {
    const budgets = [tenantBudget()];
    expect(() => createAgent<Tenant>({ name: 'a', model: scriptedModel([]), budgets })).toThrow(
      /prices/,
    );
    expect(() => build([], { budgets: [...budgets, ...budgets] })).toThrow(/two have the name/);
  });
});
