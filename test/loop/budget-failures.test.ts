import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import {
  type ChatModel,
  type Counters,
  fallbackModel,
  ModelError,
  memoryStore,
  Policy,
  tool,
} from '../../src/index.ts';
import { retryModel } from '../../src/models/retry/retry-model.ts';
import { memoryCounters } from '../../src/stores/memory-counters.ts';
import { a, build, costing, type Tenant, tenantBudget } from './budget-desk.ts';

describe('L13: what a call has cost that nobody knows', () => {
  const error = (code: ConstructorParameters<typeof ModelError>[0], facts = {}) =>
    new ModelError(code, { where: 'here', what: 'broken', fix: 'Mend it' }, facts);
  const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  const usage = { inputTokens: 200_000, outputTokens: 0 };
  test.each([
    ['turned down', error('rate-limited'), 0],
    ['turned down after attempts that cost something', error('overloaded', { usage }), 200_000],
    ['never sent', error('network', { cause: refused }), 0],
    ['cut off', error('network'), 1_000_000],
    ['cut off after attempts that cost something', error('timed-out', { usage }), 1_000_000],
    [
      'cut off after attempts that cost more',
      error('timed-out', { usage: { inputTokens: 1_500_000, outputTokens: 0 } }),
      1_500_000,
    ],
    ['failed with anything', new TypeError('what'), 1_000_000],
    [
      'every model turned it down',
      error('attempts-exhausted', {
        cause: new AggregateError([error('overloaded'), error('server-error')]),
      }),
      0,
    ],
    [
      'one of the models was cut off',
      error('attempts-exhausted', {
        cause: new AggregateError([error('overloaded'), error('timed-out')]),
      }),
      1_000_000,
    ],
    ['no usage', { text: 'done', usage: { inputTokens: 0, outputTokens: 0 } }, 1_000_000],
  ] as const)('%s', async (_what, entry, counted) => {
    const { agent, spent } = build([entry]);
    await agent.run(a);
    expect(spent()).toBe(counted);
  });

  test.each([
    ['timed-out', 1_000_000],
    ['overloaded', 0],
  ] as const)(
    'attempts of which the first is %s and the last turned down',
    async (first, counted) => {
      for (const how of ['retried', 'fallen back'] as const) {
        const failures = [error(first, { retryable: true }), error('invalid-request')];
        const fail = () => Promise.reject(failures.shift());
        const inner: ChatModel = {
          id: 'scripted',
          generate: fail,
          // biome-ignore lint/correctness/useYield: it fails before it gives anything
          async *stream() {
            await fail();
          },
        };
        const model =
          how === 'retried'
            ? retryModel(inner, { minDelayMs: 0 })
            : fallbackModel([inner, inner], { id: 'scripted' });
        const { agent, spent } = build([], { model });
        expect(await agent.run(a)).toMatchObject({ status: 'failed' });
        expect(spent()).toBe(counted);
        failures.push(error(first, { retryable: true }), error('invalid-request'));
        const live = build([], { model, streaming: 'live' });
        const stream = live.agent.stream(a);
        for await (const _event of stream);
        expect(live.spent()).toBe(counted);
      }
    },
  );

  test('a cancelled call counts what was reserved, and one that ended all the same what it cost', async () => {
    let end: (answer: ReturnType<typeof costing>) => void = () => undefined;
    const answer = new Promise<ReturnType<typeof costing>>((resolve) => {
      end = resolve;
    });
    const { agent, spent, model } = build([() => answer]);
    const run = agent.run({ ...a, threadId: 't' });
    await vi.waitFor(() => expect(model.calls).toBe(1));
    expect(spent()).toBe(1_000_000);
    await agent.cancel('t');
    expect(await run).toMatchObject({ status: 'cancelled' });
    expect(spent()).toBe(1_000_000);
    end(costing(0.3));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(spent()).toBe(300_000);
  });

  test('a stream that breaks off after a piece of an answer counts what was reserved, whatever broke it', async () => {
    const model: ChatModel = {
      id: 'scripted',
      generate: () => Promise.reject(error('overloaded')),
      async *stream() {
        yield { type: 'text', text: 'so far' };
        throw error('overloaded');
      },
    };
    const { agent, spent } = build([], { model, streaming: 'live' });
    const stream = agent.stream(a);
    for await (const _event of stream);
    expect(await stream.result).toMatchObject({ status: 'failed' });
    expect(spent()).toBe(1_000_000);
    await agent.run(a);
    expect(spent()).toBe(1_000_000);
  });

  test.each(['goes on', 'fails'])(
    'a stream that %s after its end counts what it said at its end, once',
    async (what) => {
      const usage = { inputTokens: 500_000, outputTokens: 0 };
      const model: ChatModel = {
        id: 'scripted',
        generate: () => Promise.reject(error('overloaded')),
        async *stream() {
          yield { type: 'finish', result: { finishReason: 'stop', usage } };
          if (what === 'fails')
            throw error('timed-out', { usage: { ...usage, outputTokens: 3e6 } });
          yield { type: 'finish', result: { finishReason: 'stop', usage } };
        },
      };
      const { agent, spent } = build([], { model, streaming: 'live' });
      const stream = agent.stream(a);
      for await (const _event of stream);
      expect(await stream.result).toMatchObject({ status: 'failed' });
      expect(spent()).toBe(500_000);
    },
  );

  test('a run cancelled while its call is reserved calls nothing, and has it back', async () => {
    const inner = memoryCounters();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const asked = vi.fn();
    const counters: Counters = {
      read: (key) => inner.read(key),
      increment: async (key, options) => {
        asked();
        await gate;
        return inner.increment(key, options);
      },
    };
    const { agent, model } = build([costing(1)], { counters });
    const run = agent.run({ ...a, threadId: 't' });
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    await agent.cancel('t');
    expect(await run).toMatchObject({ status: 'cancelled' });
    go();
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
    expect(model.calls).toBe(0);
    expect(inner.read('budget:tenant:cost:always:a')).toBe(0);
  });

  test('a model without a price counts what was reserved, and is called no more in its turn', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks',
      sideEffects: 'none',
      inputSchema: z.object({}),
      execute: () => 'seen',
    });
    const script = [{ toolCalls: [{ name: 'look' }] }, 'done'];
    const stops = build(script, { tools: [look], prices: { other: { input: 1, output: 1 } } });
    expect(await stops.agent.run(a)).toMatchObject({ status: 'limited', limit: 'budget' });
    expect(stops.spent()).toBe(1_000_000);
    const free = build(script, { tools: [look], prices: {}, unpriced: 'free' });
    expect(await free.agent.run(a)).toMatchObject({ status: 'completed' });
    expect(free.spent()).toBe(0);
  });
});

describe('counters that cannot count', () => {
  const broken = new Error('no route');
  const failing = (fails: (call: number) => boolean): Counters & { readonly calls: number } => {
    const counters = memoryCounters();
    let calls = 0;
    return {
      get calls() {
        return calls;
      },
      read: (key) => counters.read(key),
      increment: (key, options) => {
        calls += 1;
        if (fails(calls)) throw broken;
        return counters.increment(key, options);
      },
    };
  };

  test('before a call: the model is not called, and nobody forgives it', async () => {
    const asked = vi.fn();
    class Forgiving extends Policy<Tenant> {
      override readonly name = 'forgiving';
      override onError(error: unknown): boolean {
        asked(error);
        return true;
      }
    }
    const { agent, model } = build([costing(1)], {
      counters: failing(() => true),
      hooks: [new Forgiving()],
    });
    const result = await agent.run(a);
    expect(result).toMatchObject({
      status: 'failed',
      error: { name: 'BudgetError', code: 'counters-failed', budget: 'tenant', cause: broken },
    });
    expect(model.calls).toBe(0);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  test('before the first look: the same, and nothing of the message is stored', async () => {
    const store = memoryStore();
    const counters: Counters = {
      read: () => Promise.reject(broken),
      increment: () => Promise.reject(broken),
    };
    const { agent } = build([costing(1)], { store, counters });
    expect(await agent.run({ ...a, threadId: 't' })).toMatchObject({
      status: 'failed',
      error: { code: 'counters-failed' },
    });
    expect(store.readMessages('t')).toEqual([]);
  });

  test.each(['run', 'stream'] as const)(
    'after a call, in %s: the answer is not given, what it cost is',
    async (how) => {
      const counters = failing((call) => call === 2);
      const { agent, model } = build([costing(2)], { counters, streaming: 'live' });
      const stream = how === 'stream' ? agent.stream(a) : undefined;
      if (stream !== undefined) for await (const _event of stream);
      const result = await (stream?.result ?? agent.run(a));
      expect(result).toMatchObject({
        status: 'failed',
        error: { code: 'counters-failed' },
        usage: { inputTokens: 2_000_000 },
        cost: 2,
      });
      expect(model.calls).toBe(1);
    },
  );

  test.each([Number.NaN, 0.5, '1', undefined])('that say %s', async (said) => {
    const counters = { read: () => said, increment: () => said } as unknown as Counters;
    const { agent, model } = build([costing(1)], { counters });
    expect(await agent.run(a)).toMatchObject({ error: { code: 'counters-failed' } });
    expect(model.calls).toBe(0);
  });

  test('that never answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const never = new Promise<number>(() => undefined);
      const { agent, model } = build([costing(1)], {
        counters: { read: () => 0, increment: () => never },
      });
      const run = agent.run(a);
      await vi.advanceTimersByTimeAsync(11_000);
      expect(await run).toMatchObject({ error: { code: 'counters-failed' } });
      expect(model.calls).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('of two budgets, what one refuses the other has back', async () => {
    const budgets = [
      tenantBudget({ limit: 100 }),
      tenantBudget({ name: 'all', key: () => 'everybody', limit: 1 }),
    ];
    const { agent, spent, counters } = build([costing(1), costing(1)], { budgets });
    // Both find room when they look, and one of them when it takes it.
    const runs = await Promise.all([agent.run(a), agent.run(a)]);
    expect(runs).toMatchObject([{ status: 'completed' }, { limit: 'budget', budget: 'all' }]);
    expect(spent()).toBe(1_000_000);
    expect(counters.read('budget:all:cost:always:everybody')).toBe(1_000_000);
  });
});
