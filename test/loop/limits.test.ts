import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentOptions,
  createAgent,
  defineHooks,
  fallbackModel,
  ModelError,
  memoryStore,
  RequestDecision,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

/** One step of the script costs 10 tokens in and 20 out: 50 cents by these prices. */
const PRICES = { scripted: { input: 10_000, output: 20_000 } };
const LOOK: ScriptEntry = { toolCalls: [{ name: 'look' }] };

function build(script: readonly ScriptEntry[], more: Partial<AgentOptions>, waitMs = 0) {
  const look = tool({
    name: 'look',
    description: 'Looks',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => sleep(waitMs, 'seen'),
  });
  const model = scriptedModel(script);
  return { agent: createAgent({ name: 'a', model, tools: [look], ...more }), model };
}

const run = { threadId: 't', message: 'go' };

describe('what calls cost', () => {
  test('is in the result, in the events and in the stored thread', async () => {
    const store = memoryStore();
    const { agent } = build([LOOK, 'done'], { prices: PRICES, store });
    expect(await agent.run(run)).toMatchObject({ status: 'completed', cost: 1 });
    const events = await store.readEvents('t');
    expect(events.filter((event) => event.type === 'llm.responded')).toMatchObject([
      { cost: 0.5 },
      { cost: 0.5 },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'turn.finished', cost: 1 });
    expect((await store.load('t'))?.state).toMatchObject({ totals: { cost: 1 } });
  });

  test('counts what was rejected, and what came from a cache at its own price', async () => {
    const cached: ScriptEntry = {
      text: 'no',
      usage: { inputTokens: 100, outputTokens: 0, cachedInputTokens: 60 },
    };
    let rejected = false;
    const { agent } = build([cached, { text: 'yes', usage: { inputTokens: 0, outputTokens: 0 } }], {
      prices: { scripted: { input: 10_000, output: 1, cachedInput: 1_000 } },
      hooks: [
        {
          name: 'once',
          onLlmResponse() {
            if (rejected) return undefined;
            rejected = true;
            return ResponseDecision.retryWithFeedback('again');
          },
        },
      ],
    });
    expect((await agent.run(run)).cost).toBe(0.46);
  });

  test('is not told without prices, or when one of the calls has none', async () => {
    expect(await build(['done'], {}).agent.run(run)).not.toHaveProperty('cost');
    const { agent } = build(['done'], { prices: { other: { input: 1, output: 1 } } });
    expect(await agent.run(run)).not.toHaveProperty('cost');
  });

  test('goes by the model that answered', async () => {
    const down = scriptedModel(
      [new ModelError('overloaded', { where: 'm', what: 'w', fix: 'f' })],
      {
        id: 'dear',
      },
    );
    const model = fallbackModel([down, scriptedModel(['done'], { id: 'cheap' })]);
    const agent = createAgent({
      name: 'a',
      model,
      prices: { dear: { input: 1e6, output: 1e6 }, cheap: { input: 1_000, output: 2_000 } },
    });
    expect((await agent.run(run)).cost).toBe(0.05);
  });

  test('a model named like a member of every object has no price', async () => {
    const { agent } = build(['done'], {
      prices: PRICES,
      model: scriptedModel(['done'], { id: 'constructor' }),
    });
    expect(await agent.run(run)).not.toHaveProperty('cost');
  });
});

describe('a limit of cost', () => {
  test('ends the turn before the next call, after the step that met it', async () => {
    const { agent, model } = build([LOOK, LOOK, LOOK, 'done'], {
      prices: PRICES,
      limits: { cost: 1 },
    });
    expect(await agent.run(run)).toMatchObject({ status: 'limited', limit: 'cost', cost: 1 });
    expect(model.calls).toBe(2);
  });

  test('is met when it is met: ten times a tenth is one', async () => {
    const { agent, model } = build(
      Array.from({ length: 12 }, () => LOOK),
      {
        prices: { scripted: { input: 10_000, output: 0 } },
        limits: { cost: 1 },
      },
    );
    expect(await agent.run(run)).toMatchObject({ limit: 'cost', cost: 1 });
    expect(model.calls).toBe(10);
  });

  test('counts over the turns of a thread, and over agents and processes on one store', async () => {
    const store = memoryStore();
    const options = { prices: PRICES, limits: { thread: { cost: 1 } }, store };
    const first = build([LOOK, 'one', 'never'], options).agent;
    expect((await first.run(run)).status).toBe('completed');
    const second = build(['never'], options);
    const limited = await second.agent.run(run);
    expect(limited).toMatchObject({ status: 'limited', limit: 'thread-cost' });
    expect(second.model.calls).toBe(0);
  });

  test('is reached by a call that nobody can price', async () => {
    const options = { prices: { other: { input: 1, output: 1 } }, limits: { cost: 100 } };
    const { agent, model } = build([LOOK, 'done'], options);
    expect(await agent.run(run)).toMatchObject({ status: 'limited', limit: 'cost' });
    expect(model.calls).toBe(1);
    const free = build([LOOK, 'done'], { ...options, unpriced: 'free' });
    expect((await free.agent.run(run)).status).toBe('completed');
  });

  test.each([
    ['without prices', { limits: { cost: 1 } }, /needs to know what models cost/],
    ['of a thread without prices', { limits: { thread: { cost: 1 } } }, /needs to know/],
    ['of nothing', { limits: { cost: 0 }, prices: PRICES }, /limits/],
    ['with a price that is no number', { prices: { m: { input: '1', output: 1 } } }, /prices/],
    ['with a price below nothing', { prices: { m: { input: -1, output: 1 } } }, /prices/],
    ['with a misspelled price', { prices: { m: { inptu: 1, output: 1 } } }, /prices/],
    ['with a choice nobody knows', { unpriced: 'ignore' }, /unpriced/],
  ])('%s is refused when the agent is built', (_what, more, message) => {
    expect(() => build([], more as Partial<AgentOptions>)).toThrow(message);
  });
});

describe('a limit of steps', () => {
  test('counts model calls; a step that a policy ends before its call counts as well', async () => {
    const limited = build(Array(10).fill(LOOK), { limits: { steps: 8 } });
    expect(await limited.agent.run(run)).toMatchObject({ status: 'limited', steps: 8 });
    expect(limited.model.calls).toBe(8);
    const eight = defineHooks({
      name: 'eight',
      preLlmRequest: (_request, ctx) =>
        ctx.step > 8 ? RequestDecision.block('eight are enough') : undefined,
    });
    const blocked = build(Array(10).fill(LOOK), { hooks: [eight] });
    expect(await blocked.agent.run(run)).toMatchObject({ status: 'blocked', steps: 9 });
    expect(blocked.model.calls).toBe(8);
  });
});

describe('a limit of time', () => {
  test('ends a turn whose steps took too long', async () => {
    const { agent, model } = build([LOOK, LOOK, 'done'], { limits: { wallTimeMs: 20 } }, 30);
    expect(await agent.run(run)).toMatchObject({ status: 'limited', limit: 'wall-time' });
    expect(model.calls).toBe(1);
  });

  test('counts over the turns of a thread, and not while nothing runs', async () => {
    const store = memoryStore();
    const limits = { thread: { wallTimeMs: 1_000 } };
    const once = () => build([LOOK, 'one'], { limits, store }, 30).agent.run(run);
    expect((await once()).status).toBe('completed');
    await sleep(1_100);
    expect((await once()).status).toBe('completed');
    const stored = await store.load('t');
    const activeMs = Number(Reflect.get(Object(stored?.state.totals), 'activeMs'));
    expect(activeMs).toBeGreaterThanOrEqual(58);
    expect(activeMs).toBeLessThan(1_000);
  });

  test('is counted before anybody sets one', async () => {
    const store = memoryStore();
    await build([LOOK, 'one'], { store }, 40).agent.run(run);
    const { agent } = build(['never'], { store, limits: { thread: { wallTimeMs: 30 } } });
    expect(await agent.run(run)).toMatchObject({ limit: 'thread-wall-time' });
  });
});
