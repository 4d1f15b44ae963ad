import { agentTool, createAgent, memoryStore, type Prices, scriptedModel } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { askFirst, callClerk, callThen, often, STORES, team, yesTo } from './team.ts';

const prices: Prices = {
  'desk-model': { input: 1_000, output: 1_000 },
  'office-model': { input: 10_000, output: 10_000 },
  'clerk-model': { input: 100_000, output: 100_000 },
};

describe.each(STORES)('what subagents use, on %s', (_name, open) => {
  test('is counted once in the turn and in the thread of everybody above', async () => {
    const { desk, store } = team({ store: open(), desk: { more: { prices } } });
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({
      steps: 2,
      usage: { inputTokens: 60, outputTokens: 120 },
      // Two calls of each, of 30 tokens.
      cost: 0.06 + 0.6 + 6,
    });
    expect((await store.load('t'))?.state['totals']).toMatchObject({
      steps: 6,
      usage: { inputTokens: 60, outputTokens: 120 },
    });
    expect((await store.load('t/1.1.0'))?.state['totals']).toMatchObject({
      steps: 4,
      usage: { inputTokens: 40, outputTokens: 80 },
    });
  });

  test('has no cost where nobody has a price, all the way down', async () => {
    const { desk, store } = team({ store: open() });
    expect(await desk.run({ threadId: 't', message: 'go' })).not.toHaveProperty('cost');
    for (const threadId of ['t', 't/1.1.0', 't/1.1.0/1.1.0']) {
      const totals = (await store.load(threadId))?.state['totals'];
      expect(totals).toMatchObject({ steps: expect.any(Number) });
      expect(totals).not.toHaveProperty('cost');
      expect(totals).not.toHaveProperty('unpriced');
    }
  });

  test('is counted once over a pause, and is in the result that waits', async () => {
    const { desk } = team({
      store: open(),
      clerk: { hooks: [askFirst] },
      desk: { more: { prices } },
    });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect(paused).toMatchObject({ usage: { inputTokens: 30 }, cost: 0.03 + 0.3 + 3 });
    const result = await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(result).toMatchObject({
      usage: { inputTokens: 60, outputTokens: 120 },
      cost: 0.06 + 0.6 + 6,
    });
  });

  test('is counted when nothing comes of it', async () => {
    const { desk } = team({
      store: open(),
      clerk: { more: { limits: { steps: 1 } } },
      desk: { script: often(callThen('desk: done', callClerk())) },
    });
    const result = await desk.run({ message: 'go' });
    expect(result).toMatchObject({ status: 'completed', usage: { inputTokens: 30 } });
  });
});

describe('a limit of the agent above', () => {
  const paidSteps = { steps: 4 };

  test('of steps ends a subagent, and then its own turn', async () => {
    const { desk, store, log } = team({ desk: { more: { limits: paidSteps } } });
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'limited', limit: 'steps', steps: 1 });
    expect((await store.load('t'))?.state['totals']).toMatchObject({ steps: 4 });
    expect((await store.load('t/1.1.0'))?.state['phase']).toMatchObject({
      outcome: { status: 'limited', limit: 'steps' },
    });
    expect(log).toEqual(['pay 5']);
  });

  test('twin: without it all six steps are made', async () => {
    const { desk } = team({ desk: { more: { limits: { steps: 7 } } } });
    expect(await desk.run({ message: 'go' })).toMatchObject({ status: 'completed' });
  });

  for (const [limit, limits] of Object.entries({
    tokens: { tokens: 70 },
    'thread-tokens': { thread: { tokens: 70 } },
    'thread-steps': { thread: { steps: 3 } },
    cost: { cost: 0.3 },
    'thread-cost': { thread: { cost: 0.3 } },
  })) {
    test(`of ${limit} is no larger below it: the clerk never pays`, async () => {
      const { desk, log, store } = team({ desk: { more: { prices, limits } } });
      const result = await desk.run({ threadId: 't', message: 'go' });
      expect(result).toMatchObject({ status: 'limited', limit });
      expect((await store.load('t/1.1.0'))?.state['totals']).toMatchObject({
        steps: limit.endsWith('cost') ? 1 : 2,
      });
      // The clerk's one call is made where it is the last that the limit lets through.
      expect(log).toEqual(limit.endsWith('cost') ? [] : ['pay 5']);
    });
  }

  test('is shared by those that are asked one after the other', async () => {
    const script = often(callThen('desk: done', callClerk('one'), callClerk('two')));
    const { desk, log, store } = team({ desk: { script, more: { limits: { steps: 4 } } } });
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'limited', limit: 'steps' });
    expect((await store.load('t'))?.state['totals']).toMatchObject({ steps: 4 });
    expect((await store.load('t/1.1.1'))?.state['phase']).toMatchObject({
      outcome: { status: 'limited', limit: 'steps' },
    });
    expect(log).toEqual(['pay 5', 'pay 5']);
  });

  test('is shared also where a copy of the tool says that its calls may run side by side', async () => {
    const pay = createAgent({ name: 'b', model: scriptedModel(often('done')) });
    const asTool = { ...agentTool(pay, { name: 'clerk', description: 'd' }), parallel: true };
    const model = scriptedModel(often(callThen('done', callClerk('one'), callClerk('two'))));
    const store = memoryStore();
    const limits = { steps: 2 };
    const desk = createAgent({ name: 'a', model, tools: [asTool], limits, store });
    await desk.run({ threadId: 't', message: 'go' });
    expect((await store.load('t'))?.state['totals']).toMatchObject({ steps: 2 });
  });

  test('holds over a pause: what was used before it is not had again', async () => {
    const parts = {
      clerk: { hooks: [askFirst] },
      desk: { more: { limits: { steps: 4 } } },
    };
    const { desk, store } = team(parts);
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const result = await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(result).toMatchObject({ status: 'limited', limit: 'steps' });
    expect((await store.load('t'))?.state['totals']).toMatchObject({ steps: 4 });
  });

  test('does not loosen one that the subagent has itself', async () => {
    const script = often(callThen('desk: done', callClerk()));
    const { desk, store } = team({
      clerk: { more: { limits: { steps: 1 } } },
      desk: { script, more: { limits: { steps: 40 } } },
    });
    expect(await desk.run({ threadId: 't', message: 'go' })).toMatchObject({ status: 'completed' });
    expect((await store.load('t/1.1.0'))?.state['phase']).toMatchObject({
      outcome: { status: 'limited', limit: 'steps' },
    });
  });

  test('of cost is reached by a subagent whose model has no price', async () => {
    const only = { 'desk-model': prices['desk-model'] as Prices[string] };
    const script = often(callThen('desk: done', callClerk()));
    const more = { prices: only, limits: { cost: 100 } };
    const result = await team({ desk: { script, more } }).desk.run({ message: 'go' });
    expect(result).toMatchObject({ status: 'limited', limit: 'cost' });
    const lax = { clerk: { more: { unpriced: 'free' as const } } };
    const { desk, store } = team({ desk: { script, more }, ...lax });
    await desk.run({ threadId: 't', message: 'go' });
    // It stops after its first call: the agent above says that nobody knows what was spent.
    expect((await store.load('t/1.1.0'))?.state['totals']).toMatchObject({ steps: 1 });
    const free = { ...more, unpriced: 'free' as const };
    const other = await team({ desk: { script, more: free } }).desk.run({ message: 'go' });
    expect(other).toMatchObject({ status: 'completed' });
  });
});
