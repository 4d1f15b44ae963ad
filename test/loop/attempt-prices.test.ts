import { describe, expect, test } from 'vitest';
import {
  type ChatModel,
  type ChatStreamPart,
  createAgent,
  defineHooks,
  fallbackModel,
  ModelError,
  type ModelErrorCode,
  routerModel,
  scriptedModel,
  type Usage,
} from '../../src/index.ts';
import { retryModel } from '../../src/models/retry.ts';
import type { ModelFinish } from '../../src/protocol/chat.ts';
import { a, build, tenantBudget } from './budget-desk.ts';

const prices = { dear: { input: 10, output: 10 }, cheap: { input: 1, output: 1 } };
const usage: Usage = { inputTokens: 100_000, outputTokens: 0 };
const failing = (id: string, code: ModelErrorCode = 'server-error'): ChatModel => {
  const fail = (): never => {
    const about = { where: `model '${id}'`, what: 'it broke', fix: 'Ask again' };
    throw new ModelError(code, about, { usage });
  };
  return {
    id,
    generate: async () => fail(),
    stream: async function* () {
      yield fail();
    },
  };
};
const answering = (id: string, text = 'hello') =>
  scriptedModel(
    Array.from({ length: 9 }, () => ({ text, usage })),
    { id },
  );
const once = { maxRetries: 1, minDelayMs: 1 };

/** What a turn costs, by its result and by a budget. Both ask the model in the same way. */
async function costs(model: ChatModel, more: Parameters<typeof build>[1] = {}, how = 'run') {
  const { agent, spent } = build([], {
    model,
    prices,
    budgets: [tenantBudget({ limit: 100, reserve: 0.000001 })],
    ...more,
  });
  const result = await (how === 'run' ? agent.run(a) : agent.stream(a).result);
  return { result, cost: result.cost, counted: (await spent()) / 1e6 };
}

describe.each(['run', 'stream'])(
  'what each attempt used counts at the price of its model: %s',
  (how) => {
    const cost = (model: ChatModel, more = {}) => costs(model, more, how);

    test('a fallback that answers after a dear one has failed', async () => {
      const model = fallbackModel([failing('dear'), answering('cheap')]);
      const { result, ...both } = await cost(model);
      expect(both).toEqual({ cost: 1.1, counted: 1.1 });
      expect(result.usage).toEqual({ inputTokens: 200_000, outputTokens: 0 });
    });

    test('a dear one that answers after a cheap one has failed', async () => {
      const { result: _, ...both } = await cost(
        fallbackModel([failing('cheap'), answering('dear')]),
      );
      expect(both).toEqual({ cost: 1.1, counted: 1.1 });
    });

    test('one that refused, and gave its own name', async () => {
      const result: ModelFinish = { finishReason: 'content-filter', usage, model: 'dear' };
      const named: ChatModel = {
        id: 'alias',
        generate: async () => ({ ...result, content: [] }),
        stream: async function* () {
          yield { type: 'finish', result };
        },
      };
      const model = fallbackModel([named, answering('cheap')], { on: () => true });
      expect(await cost(model)).toMatchObject({ cost: 1.1, counted: 1.1 });
    });

    test('all have failed', async () => {
      const model = fallbackModel([failing('dear'), failing('cheap')]);
      expect(await cost(model)).toMatchObject({
        result: { status: 'failed' },
        cost: 1.1,
        counted: 1.1,
      });
    });

    test('one failed in a way that the fallback does not accept', async () => {
      const model = fallbackModel([
        failing('dear'),
        failing('cheap', 'invalid-request'),
        answering('cheap'),
      ]);
      expect(await cost(model)).toMatchObject({
        result: { status: 'failed' },
        cost: 1.1,
        counted: 1.1,
      });
    });

    test('attempts of its own that one has made again', async () => {
      const dear = retryModel(failing('dear'), once);
      const inner = fallbackModel([dear, failing('cheap')], { id: 'inner' });
      expect(await cost(fallbackModel([inner, answering('cheap')]))).toMatchObject({
        cost: 2.2,
        counted: 2.2,
      });
      expect(
        await cost(retryModel(fallbackModel([failing('dear'), answering('cheap')]), once)),
      ).toMatchObject({ cost: 1.1 });
    });

    test('a router whose first choice has failed', async () => {
      let asked = 0;
      const router = routerModel({
        models: { first: failing('dear'), second: answering('cheap') },
        route: () => (asked++ === 0 ? 'first' : 'second'),
      });
      expect(await cost(retryModel(router, once))).toMatchObject({ cost: 1.1, counted: 1.1 });
    });

    test('an empty answer of another model', async () => {
      let asked = 0;
      const model = routerModel({
        models: { first: answering('dear', ''), second: answering('cheap') },
        route: () => (asked++ === 0 ? 'first' : 'second'),
      });
      expect(await cost(model)).toMatchObject({ cost: 1.1, counted: 1.1 });
    });

    test('a policy that calls again, whatever it says of who answered', async () => {
      let asked = 0;
      const model = routerModel({
        models: { first: answering('dear'), second: answering('cheap') },
        route: () => (asked++ === 0 ? 'first' : 'second'),
      });
      const twice = defineHooks({
        name: 'twice',
        async *wrapLlmCall(request, next) {
          for await (const _ of next(request)) continue;
          for await (const part of next(request)) {
            if (part.type !== 'finish') yield part;
            else yield { ...part, result: { ...part.result, model: 'free' } };
          }
        },
      });
      const free = { ...prices, free: { input: 0, output: 0 } };
      expect(await cost(model, { hooks: [twice], prices: free })).toMatchObject({
        cost: 1.1,
        counted: 1.1,
      });
    });

    test('one without a price makes the call unpriced, and what is known counts', async () => {
      const model = () => fallbackModel([failing('unknown'), answering('dear')]);
      const { result, counted } = await cost(model());
      expect(result.cost).toBeUndefined();
      expect(counted).toBe(1);
      expect(await cost(model(), { unpriced: 'free' })).toMatchObject({ counted: 1 });
      const budgets = [tenantBudget({ limit: 100, reserve: 5 })];
      expect(await cost(model(), { budgets })).toMatchObject({ counted: 5 });
    });
  },
);

test('a limit of cost is reached by what a dear attempt cost, in this turn and in the thread', async () => {
  const model = fallbackModel([
    failing('dear'),
    scriptedModel([{ toolCalls: [{ name: 'no' }], usage }], { id: 'cheap' }),
  ]);
  const agent = createAgent({ name: 'desk', model, prices, limits: { cost: 1 } });
  expect(await agent.run({ message: 'go' })).toMatchObject({
    status: 'limited',
    limit: 'cost',
    cost: 1.1,
  });
});

test('the answer says what other models have used, and sums do not', async () => {
  const seen: Usage[] = [];
  const watch = defineHooks({
    name: 'watch',
    onLlmResponse: (response) => {
      expect(Object.isFrozen(response.usage.otherModels)).toBe(true);
      seen.push(response.usage);
    },
  });
  const model = fallbackModel([failing('dear'), answering('cheap')]);
  const agent = createAgent({ name: 'desk', model, hooks: [watch] });
  const events: unknown[] = [];
  agent.on('llm.responded', (event) => events.push(event.usage));
  const result = await agent.run({ message: 'go' });
  await agent.settled();
  const whole = {
    inputTokens: 200_000,
    outputTokens: 0,
    otherModels: [{ model: 'dear', ...usage }],
  };
  expect(seen).toEqual([whole]);
  expect(events).toEqual([whole]);
  expect(result.usage).toEqual({ inputTokens: 200_000, outputTokens: 0 });
});

test('what a model says of others never makes its own tokens less than nothing, or unread', async () => {
  const said = (otherModels: unknown): ChatModel => {
    const result = { finishReason: 'stop', usage: { ...usage, otherModels } } as ModelFinish;
    return {
      id: 'cheap',
      generate: async () => ({ ...result, content: [{ type: 'text', text: 'hi' }] }),
      stream: async function* (): AsyncGenerator<ChatStreamPart> {
        yield { type: 'text', text: 'hi' };
        yield { type: 'finish', result };
      },
    };
  };
  const more = [{ model: 'dear', inputTokens: 300_000, outputTokens: 0 }];
  expect(await costs(said(more))).toMatchObject({ cost: 3, counted: 3 });
  const broken = await costs(said([{ model: 7 }]));
  expect(broken).toMatchObject({ result: { status: 'failed' }, cost: 0.1, counted: 0.1 });
});
