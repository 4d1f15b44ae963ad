import { describe, expect, test } from 'vitest';
import {
  type ChatModel,
  type ChatStreamPart,
  defineHooks,
  ModelError,
  type Usage,
} from '../../src/index.ts';
import type { ModelCallOptions } from '../../src/models/port.ts';
import { a, build, tenantBudget } from './budget-desk.ts';

const used = (inputTokens: number): Usage => ({ inputTokens, outputTokens: 0 });
const finish = (tokens: number): ChatStreamPart => ({
  type: 'finish',
  result: { finishReason: 'stop', usage: used(tokens) },
});
const text: ChatStreamPart = { type: 'text', text: 'hello' };
const broken = (usage?: Usage) =>
  new ModelError(
    'network',
    { where: 'model', what: 'it was cut', fix: 'Ask again' },
    usage && { usage },
  );

type Course = (again: () => void, options: ModelCallOptions) => AsyncGenerator<ChatStreamPart>;

/** What a streamed turn counts in tokens, by its result and by a budget. */
async function counts(course: Course, more: Parameters<typeof build>[1] = {}) {
  const model: ChatModel = {
    id: 'scripted',
    generate: () => Promise.reject(broken()),
    stream: (_request, options) =>
      course(() => options.onRetry?.({ attempt: 2, delayMs: 0, reason: 'network' }), options),
  };
  const budgets = [tenantBudget({ unit: 'tokens', limit: 1000, reserve: 1 })];
  const { agent, spent } = build([], { model, budgets, ...more });
  const { status, usage } = await agent.stream(a).result;
  return { status, tokens: usage.inputTokens, counted: await spent('a', 'tokens') };
}

describe('a stream that begins again after its end', () => {
  test('counts what its latest end says', async () => {
    const course: Course = async function* (again) {
      yield* [text, finish(7)];
      again();
      yield* [text, finish(17)];
    };
    expect(await counts(course)).toEqual({ status: 'completed', tokens: 17, counted: 17 });
  });

  test('has not taken back what it said before when it counts nothing the second time', async () => {
    const course: Course = async function* (again) {
      yield* [text, finish(7)];
      again();
      yield* [text, finish(0)];
    };
    expect(await counts(course)).toEqual({ status: 'completed', tokens: 7, counted: 7 });
  });

  test.each([
    [undefined, 7],
    [used(19), 19],
  ])('and then fails counts what the error says, or else its end: %o', async (usage, tokens) => {
    const course: Course = async function* (again) {
      yield* [text, finish(7)];
      again();
      yield text;
      throw broken(usage);
    };
    expect(await counts(course)).toEqual({ status: 'failed', tokens, counted: tokens });
  });

  test('and was cut off then counts what was reserved where that is more', async () => {
    const course: Course = async function* (again) {
      yield* [text, finish(7)];
      again();
      throw broken();
    };
    const budgets = [tenantBudget({ unit: 'tokens', limit: 1000, reserve: 100 })];
    expect(await counts(course, { budgets })).toMatchObject({ tokens: 7, counted: 100 });
  });
});

describe('a stream that does not end with its end', () => {
  const nonsense: Course = async function* () {
    yield* [text, finish(7), finish(9)];
  };
  const fails: Course = async function* () {
    yield* [text, finish(7)];
    throw broken();
  };

  test.each([
    ['ends twice', nonsense],
    ['fails', fails],
  ])('counts what that said: it %s', async (_how, course) => {
    expect(await counts(course)).toEqual({ status: 'failed', tokens: 7, counted: 7 });
  });

  test('also where a policy is around it, which cannot forget what it has read', async () => {
    const course: Course = async function* (again, { restarts }) {
      expect(restarts).toBe(false);
      yield* [text, finish(7)];
      again();
      yield finish(17);
    };
    const around = defineHooks({
      name: 'around',
      wrapLlmCall: (request, next) => next(request),
    });
    const expected = { status: 'failed', tokens: 7, counted: 7 };
    expect(await counts(course, { hooks: [around] })).toEqual(expected);
  });

  test('a cancel between the two counts it', async () => {
    const cancelled = new AbortController();
    const course: Course = async function* (_again, { signal }) {
      yield* [text, finish(7)];
      setTimeout(() => cancelled.abort());
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const model: ChatModel = {
      id: 'scripted',
      generate: () => Promise.reject(broken()),
      stream: (_request, options) => course(() => undefined, options),
    };
    const budgets = [tenantBudget({ unit: 'tokens', limit: 1000, reserve: 1 })];
    const { agent, spent } = build([], { model, budgets });
    const { status, usage } = await agent.stream({ ...a, signal: cancelled.signal }).result;
    expect([status, usage.inputTokens, await spent('a', 'tokens')]).toEqual(['cancelled', 7, 7]);
  });
});
