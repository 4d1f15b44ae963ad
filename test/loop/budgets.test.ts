import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  agentTool,
  createAgent,
  memoryStore,
  Policy,
  ResponseDecision,
  scriptedModel,
  tool,
} from '../../src/index.ts';
import { memoryCounters } from '../../src/stores/memory-counters.ts';
import { a, build, costing, PRICES, type Tenant, tenantBudget } from './budget-desk.ts';

describe('L13: a budget holds over threads', () => {
  test('what is spent in one thread is gone in another, and tenants have their own', async () => {
    const { agent, model, spent } = build(['x', 'x', 'x', 'x'].map(() => costing(1)));
    for (const threadId of ['1', '2', '3'])
      expect(await agent.run({ ...a, threadId })).toMatchObject({ status: 'completed' });
    expect(await agent.run({ ...a, threadId: '4' })).toMatchObject({
      status: 'limited',
      limit: 'budget',
      budget: 'tenant',
      usage: { inputTokens: 0 },
    });
    expect(model.calls).toBe(3);
    expect(await agent.run({ ...a, context: { tenant: 'b' } })).toMatchObject({
      status: 'completed',
    });
    expect([spent('a'), spent('b')]).toEqual([3_000_000, 1_000_000]);
  });

  test('a message that finds no room is not stored, and can be sent again', async () => {
    const store = memoryStore();
    let limit = 0.5;
    const budgets = [tenantBudget({ limit: () => limit, reserve: 1 })];
    const { agent } = build([costing(1)], { store, budgets });
    const first = await agent.run({ ...a, threadId: 't' });
    expect(first).toMatchObject({ status: 'limited', text: expect.stringMatching(/^Sorry/) });
    expect(store.readMessages('t')).toEqual([]);
    limit = 2;
    expect(await agent.run({ ...a, threadId: 't' })).toMatchObject({ status: 'completed' });
    expect(store.readMessages('t')).toHaveLength(2);
  });

  test('runs at once cannot all have the last of it', async () => {
    const { agent, model, spent } = build(Array.from({ length: 10 }, () => costing(1)));
    const runs = Array.from({ length: 10 }, () => agent.run(a));
    const statuses = (await Promise.all(runs)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(3);
    expect(statuses.filter((status) => status === 'limited')).toHaveLength(7);
    expect(model.calls).toBe(3);
    expect(spent()).toBe(3_000_000);
  });

  test('agents with one store share it, without being given counters', async () => {
    const store = memoryStore();
    const make = () => {
      const model = scriptedModel([costing(1), costing(1), costing(1)]);
      return createAgent<Tenant>({
        name: 'desk',
        model,
        store,
        prices: PRICES,
        budgets: [tenantBudget()],
      });
    };
    const [one, two] = [make(), make()];
    await one.run(a);
    await two.run(a);
    await one.run(a);
    expect(await two.run(a)).toMatchObject({ limit: 'budget' });
    expect(await one.run(a)).toMatchObject({ limit: 'budget' });
  });

  test('cents do not drift: thousands of calls cost what they cost', async () => {
    const { agent, spent } = build(
      Array.from({ length: 300 }, () => costing(0.000123)),
      { budgets: [tenantBudget({ limit: 0.0369, reserve: 0.000123 })] },
    );
    for (let call = 0; call < 300; call++)
      expect(await agent.run(a)).toMatchObject({ status: 'completed' });
    expect(spent()).toBe(36_900);
    expect(await agent.run(a)).toMatchObject({ limit: 'budget' });
  });
});

describe('L13: every call counts, and counts once', () => {
  test('steps, rejected answers and empty ones', async () => {
    class Strict extends Policy<Tenant> {
      override readonly name = 'strict';
      override onLlmResponse({ text }: { readonly text: string }): ResponseDecision | undefined {
        return text === 'bad' ? ResponseDecision.retryWithFeedback('better') : undefined;
      }
    }
    const look = tool({
      name: 'look',
      description: 'Looks',
      sideEffects: 'none',
      inputSchema: z.object({}),
      execute: () => 'seen',
    });
    const script = [
      costing(0.1, { text: '', toolCalls: [{ name: 'look' }] }),
      costing(0.2, { text: 'bad' }),
      costing(0.4, { text: '' }),
      costing(0.8),
    ];
    const { agent, spent } = build(script, {
      hooks: [new Strict()],
      tools: [look],
      budgets: [tenantBudget({ limit: 10 })],
    });
    expect(await agent.run(a)).toMatchObject({ status: 'completed', cost: 1.5 });
    expect(spent()).toBe(1_500_000);
  });

  test('a policy that calls the model twice pays twice, and a stream as much as a whole answer', async () => {
    class Twice extends Policy<Tenant> {
      override readonly name = 'twice';
      override async *wrapLlmCall(
        ...[request, next]: Parameters<NonNullable<Policy['wrapLlmCall']>>
      ) {
        for await (const _part of next(request));
        yield* next(request);
      }
    }
    const script = [costing(0.25), costing(0.5)];
    for (const streaming of ['hold', 'live'] as const) {
      const { agent, spent } = build(script, { hooks: [new Twice()], streaming });
      const stream = agent.stream(a);
      for await (const _event of stream);
      expect(await stream.result).toMatchObject({ status: 'completed', cost: 0.75 });
      expect(spent()).toBe(750_000);
    }
  });

  test('summaries', async () => {
    const { agent, spent, model } = build(
      [costing(0.1), costing(0.1), costing(0.5, { text: 'short' }), costing(0.1)],
      { compaction: { maxTokens: 300, keepTokens: 40 } },
    );
    const long = { ...a, threadId: 't', message: 'word '.repeat(200) };
    await agent.run(long);
    await agent.run(long);
    await agent.run({ ...a, threadId: 't' });
    expect(model.calls).toBeGreaterThanOrEqual(4);
    expect(spent()).toBe(800_000);
  });

  test('subagents: once, also where both agents have the budget', async () => {
    const counters = memoryCounters();
    const below = createAgent<Tenant>({
      name: 'below',
      model: scriptedModel([costing(0.5), costing(0.5)]),
      prices: PRICES,
      budgets: [tenantBudget()],
    });
    const ask = agentTool(below, { name: 'below', description: 'Asks', tier: 'auto' });
    const { agent, spent } = build(
      [
        costing(0.25, { text: '', toolCalls: [{ name: 'below', input: { task: 'go' } }] }),
        costing(0.25),
      ],
      { tools: [ask], counters },
    );
    expect(await agent.run(a)).toMatchObject({ status: 'completed', cost: 1 });
    expect(spent()).toBe(1_000_000);
  });

  test('of two agents that say different things of one budget, the stricter holds in the one below', async () => {
    const model = scriptedModel([costing(0.1)]);
    const below = createAgent<Tenant>({
      name: 'below',
      model,
      prices: PRICES,
      budgets: [tenantBudget({ limit: 1 })],
    });
    const ask = agentTool(below, { name: 'below', description: 'Asks', tier: 'auto' });
    const { agent } = build(
      [
        costing(0.25, { text: '', toolCalls: [{ name: 'below', input: { task: 'go' } }] }),
        costing(0.25),
      ],
      { tools: [ask] },
    );
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
    expect(model.calls).toBe(0);
  });

  test('a subagent that finds no room ends, and so does its caller', async () => {
    const model = scriptedModel([costing(1)]);
    const below = createAgent<Tenant>({ name: 'below', model });
    const ask = agentTool(below, { name: 'below', description: 'Asks', tier: 'auto' });
    const { agent } = build(
      [costing(1, { text: '', toolCalls: [{ name: 'below', input: { task: 'go' } }] })],
      { tools: [ask], budgets: [tenantBudget({ limit: 1.5 })] },
    );
    expect(await agent.run(a)).toMatchObject({ status: 'limited', limit: 'budget' });
    expect(model.calls).toBe(0);
  });

  test('a call that costs more than was reserved counts in full, and is the last', async () => {
    const { agent, spent } = build([costing(7)]);
    expect(await agent.run(a)).toMatchObject({ status: 'completed', cost: 7 });
    expect(spent()).toBe(7_000_000);
    expect(await agent.run(a)).toMatchObject({ limit: 'budget' });
  });

  test('tokens are counted as they are, without prices', async () => {
    const counters = memoryCounters();
    const agent = createAgent<Tenant>({
      name: 'desk',
      model: scriptedModel(['one', 'two']),
      budgets: [tenantBudget({ unit: 'tokens', limit: 65, reserve: 35 })],
      counters,
    });
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
    expect(await agent.run(a)).toMatchObject({ status: 'completed' });
    expect(counters.read('budget:tenant:tokens:always:a')).toBe(60);
    expect(await agent.run(a)).toMatchObject({ limit: 'budget' });
  });
});
