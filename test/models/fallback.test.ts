import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import {
  ModelError,
  type ModelErrorCode,
  type ModelErrorFacts,
} from '../../src/errors/model-error.ts';
import { type FallbackOptions, fallbackModel } from '../../src/models/fallback.ts';
import type { ChatModel, ModelRetry } from '../../src/models/port.ts';
import { retryModel } from '../../src/models/retry.ts';
import { routerModel } from '../../src/models/router.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { collect, failure, request, uncancelled, user } from './requests.ts';
import { FlakyModel, USAGE } from './retry/flaky-model.ts';

const asked = request([user('hello')]);
const usage = { inputTokens: 7, outputTokens: 1 };
const failed = (code: ModelErrorCode, facts: ModelErrorFacts = {}) => ({
  fails: new ModelError(code, { where: 'w', what: 'x', fix: 'y' }, facts),
});
const good = (id = 'b') => new FlakyModel(id, [{ parts: ['o', 'k'] }]);

/** Whole and streamed, as one shape. */
const ways = {
  whole: async (model: ChatModel, signal = uncancelled().signal) => {
    try {
      const { content, ...result } = await model.generate(asked, { signal });
      return { result, text: content.map((part) => ('text' in part ? part.text : '')).join('') };
    } catch (error) {
      return { error };
    }
  },
  streamed: async (model: ChatModel, signal = uncancelled().signal) => {
    const { parts, error } = await collect(model, asked, { signal });
    if (error !== undefined) return { error };
    const last = parts.at(-1);
    const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
    return { result: last?.type === 'finish' ? last.result : undefined, text };
  },
};

describe.each(Object.entries(ways))('a model with a fallback, %s', (_, ask) => {
  test.each([
    'rate-limited',
    'overloaded',
    'network',
    'timed-out',
    'server-error',
    'quota-exceeded',
    'auth-failed',
    'empty-response',
    'invalid-response',
    'model-failed',
  ] as const)('asks the next one after %s, which then is who answered', async (code) => {
    const answer = await ask(
      fallbackModel([new FlakyModel('a', [failed(code, { usage })]), good()]),
    );
    expect(answer).toMatchObject({
      text: 'ok',
      result: { model: 'b', usage: { inputTokens: 17, outputTokens: 6 } },
    });
  });

  test.each([
    'invalid-request',
    'refused',
    'context-overflow',
    'script-exhausted',
    'unknown-model',
  ] as const)('passes %s on as it is, unless asked to go on', async (code) => {
    const attempt = failed(code);
    const second = good();
    const { error } = await ask(fallbackModel([new FlakyModel('a', [attempt]), second]));
    expect(error).toBe(attempt.fails);
    expect(second.seen).toEqual([]);
    const on: FallbackOptions['on'] = (each) => each.code === code;
    expect(
      await ask(fallbackModel([new FlakyModel('a', [attempt]), second], { on })),
    ).toMatchObject({
      text: 'ok',
    });
  });

  test('passes on what is no ModelError', async () => {
    for (const fails of [new Error('bug'), 'text', { code: 'network' }]) {
      const second = good();
      expect((await ask(fallbackModel([new FlakyModel('a', [{ fails }]), second]))).error).toBe(
        fails,
      );
      expect(second.seen).toEqual([]);
    }
  });

  test('ends with the errors of all, in order, when all fail', async () => {
    const attempts = [failed('auth-failed', { usage }), failed('overloaded', { usage })];
    const models = attempts.map((attempt, index) => new FlakyModel(`m${index}`, [attempt]));
    const { error } = await ask(fallbackModel(models));
    expect(error).toMatchObject({
      name: 'ModelError',
      code: 'attempts-exhausted',
      retryable: true,
      usage: { inputTokens: 14, outputTokens: 2 },
      message: expect.stringContaining('(auth-failed, overloaded)'),
    });
    const { cause } = error as Error;
    expect(cause).toBeInstanceOf(AggregateError);
    expect((cause as AggregateError).errors).toEqual(attempts.map(({ fails }) => fails));
  });

  test('what the models before it cost is told with a failure that has no account', async () => {
    for (const fails of [new Error('bug'), 'text', undefined, Object.freeze({ usage: 1 })]) {
      const first = new FlakyModel('a', [failed('overloaded', { usage })]);
      const second: ChatModel = {
        id: 'b',
        generate: () => Promise.reject(fails),
        stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(fails) }) }),
      };
      const third = good('c');
      const { error } = await ask(fallbackModel([first, second, third]));
      expect(error).toMatchObject({
        code: 'model-failed',
        usage,
        message: expect.stringContaining("model 'b'"),
      });
      expect((error as Error).cause).toBe(fails);
      expect(third.seen).toEqual([]);
    }
  });

  test('asks nobody else after a cancel', async () => {
    const controller = new AbortController();
    const second = good();
    const first = scriptedModel([
      () => {
        controller.abort(new Error('enough'));
        throw failed('overloaded').fails;
      },
    ]);
    const { error } = await ask(fallbackModel([first, second]), controller.signal);
    expect(error).toMatchObject({ code: 'overloaded' });
    expect(second.seen).toEqual([]);
  });

  test('after a cancel an error is what it was, whatever was paid before it', async () => {
    const controller = new AbortController();
    const stopped = new Error('stopped');
    const second = scriptedModel([
      () => {
        controller.abort();
        throw stopped;
      },
    ]);
    const paid = new FlakyModel('a', [failed('overloaded', { usage })]);
    const { error } = await ask(fallbackModel([paid, second, good('c')]), controller.signal);
    expect(error).toBe(stopped);
  });

  test('lets a filtered answer stand, unless asked to go on', async () => {
    const filtered = () =>
      scriptedModel([{ text: 'Hm', finishReason: 'content-filter', usage }], { id: 'a' });
    const kept = await ask(fallbackModel([filtered(), good()]));
    expect(kept.result).toMatchObject({ finishReason: 'content-filter' });
    const on: FallbackOptions['on'] = ({ code }) => code === 'refused';
    const last = await ask(
      fallbackModel([new FlakyModel('x', [failed('refused')]), filtered()], { on }),
    );
    expect(last.result).toMatchObject({ finishReason: 'content-filter' });
  });

  test('keeps the name that a model gives itself', async () => {
    const named = scriptedModel(['ok'], { id: 'gpt-4o-2024-08-06' });
    expect((await ask(fallbackModel([named]))).result).toMatchObject({
      model: 'gpt-4o-2024-08-06',
    });
  });
});

describe('a model with a fallback', () => {
  test('goes on after a filtered answer when it is asked to', async () => {
    const filtered = scriptedModel([{ finishReason: 'content-filter', usage }], { id: 'a' });
    const model = fallbackModel([filtered, good()], { on: ({ code }) => code === 'refused' });
    expect(await model.generate(asked, uncancelled())).toMatchObject({
      model: 'b',
      usage: { inputTokens: 17, outputTokens: 6 },
    });
  });

  test('leaves no stream that has given a part, behind the back of its reader', async () => {
    const second = good();
    const first = new FlakyModel('a', [{ parts: ['half'], ...failed('network') }]);
    const { parts, error } = await collect(fallbackModel([first, second]), asked);
    expect(parts).toEqual([{ type: 'text', text: 'half' }]);
    expect(error).toMatchObject({ code: 'network' });
    expect(second.seen).toEqual([]);
  });

  test('takes a stream without an end for one that was cut', async () => {
    async function* nothing(): AsyncGenerator<never> {}
    const endless = { id: 'a', generate: () => Promise.reject(new Error('no')), stream: nothing };
    const { parts, error } = await collect(fallbackModel([endless, good()]), asked);
    expect(error).toBeUndefined();
    expect(parts.at(-1)).toMatchObject({ result: { model: 'b' } });
  });

  test('tells of every further attempt in one row, its own and those within', async () => {
    const told: ModelRetry[] = [];
    const quick = { minDelayMs: 0, maxDelayMs: 0, maxRetries: 1 };
    const inner = ['a', 'b'].map((id) =>
      retryModel(new FlakyModel(id, [failed('overloaded')]), quick),
    );
    const model = fallbackModel([...inner, good('c')]);
    const onRetry = (retry: ModelRetry): unknown => told.push(retry);
    const response = await model.generate(asked, { ...uncancelled(), onRetry });
    expect(response.model).toBe('c');
    expect(told.map(({ attempt }) => attempt)).toEqual([2, 3, 4, 5]);
  });

  test('is a model that can be retried and routed to', async () => {
    const first = new FlakyModel('a', [failed('overloaded'), { parts: ['ok'] }]);
    const second = new FlakyModel('b', [failed('network')]);
    const retried = retryModel(fallbackModel([first, second]), { minDelayMs: 0, maxDelayMs: 0 });
    const router = routerModel({ models: { only: retried }, route: () => 'only' });
    expect(await router.generate(asked, uncancelled())).toMatchObject({ model: 'a', usage: USAGE });
  });

  test('has the ids of its models, or its own', () => {
    expect(fallbackModel([good('a'), good('b')]).id).toBe('fallback(a, b)');
    expect(fallbackModel([good('a')], { id: 'mine' }).id).toBe('mine');
  });

  test('does not notice what becomes of the list it was given', async () => {
    const models = [new FlakyModel('a', [failed('overloaded')]), good()];
    const model = fallbackModel(models);
    models.length = 0;
    expect(await model.generate(asked, uncancelled())).toMatchObject({ model: 'b' });
  });

  test('without a model is refused', () => {
    expect(() => fallbackModel([])).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  });

  test.each(['live', 'hold'] as const)(
    'by an agent that streams %s: the answer of the second is the only one',
    async (streaming) => {
      const first = new FlakyModel('a', [{ parts: ['half'], ...failed('network') }]);
      const agent = createAgent({ name: 'desk', model: fallbackModel([first, good()]), streaming });
      const stream = agent.stream({ message: 'hello' });
      const seen: string[] = [];
      for await (const event of stream) {
        if (event.type === 'llm.delta') seen.push(event.text);
        else if (event.type === 'text.retracted' || event.type === 'llm.retrying')
          seen.push(event.type);
        if (event.type === 'llm.responded') expect(event.model).toBe('b');
      }
      expect(await stream.result).toMatchObject({ status: 'completed', text: 'ok' });
      const shown = streaming === 'live';
      expect(seen).toEqual([
        ...(shown ? ['half', 'text.retracted'] : []),
        'llm.retrying',
        ...(shown ? ['o', 'k'] : []),
      ]);
    },
  );
});

describe('a router', () => {
  const models = () => ({
    small: scriptedModel(['s'], { id: 'S' }),
    large: scriptedModel(['l'], { id: 'L' }),
  });

  test('picks a model for each request, whole and streamed', async () => {
    const both = models();
    const router = routerModel({
      models: both,
      route: async ({ messages }) => (messages.length > 1 ? 'large' : 'small'),
    });
    expect(await router.generate(asked, uncancelled())).toMatchObject({ model: 'S' });
    const { parts } = await collect(router, request([user('a'), user('b')]));
    expect(parts.at(-1)).toMatchObject({ result: { model: 'L' } });
    expect([both.small.calls, both.large.calls]).toEqual([1, 1]);
  });

  test.each(['none', '', 'toString', '__proto__'])(
    'that names %j fails and asks nobody',
    async (name) => {
      const both = models();
      const router = routerModel<string>({ models: both, route: () => name });
      const whole = await failure(router.generate(asked, uncancelled()));
      const { error } = await collect(router, asked);
      for (const one of [whole, error]) {
        expect(one).toMatchObject({ code: 'unknown-model', retryable: false });
        expect(String(one)).toContain("'small', 'large'");
      }
      expect([both.small.calls, both.large.calls]).toEqual([0, 0]);
    },
  );

  test('that throws fails with what it threw', async () => {
    const bug = new Error('bug');
    const router = routerModel({
      models: models(),
      route: () => {
        throw bug;
      },
    });
    expect(await failure(router.generate(asked, uncancelled()))).toBe(bug);
    expect((await collect(router, asked)).error).toBe(bug);
  });

  test('says who answered where the model does not', async () => {
    const router = routerModel({ models: { only: good('plain') }, route: () => 'only' });
    expect(await router.generate(asked, uncancelled())).toMatchObject({ model: 'plain' });
    expect((await collect(router, asked)).parts.at(-1)).toMatchObject({
      result: { model: 'plain' },
    });
  });

  test('has an id, and needs a model', () => {
    expect(routerModel({ models: models(), route: () => 'small' }).id).toBe('router');
    expect(routerModel({ id: 'mine', models: models(), route: () => 'small' }).id).toBe('mine');
    expect(() => routerModel({ models: {}, route: () => '' as never })).toThrow(/no models/);
  });
});
