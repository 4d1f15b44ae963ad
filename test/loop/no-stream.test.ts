import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type ChatModel,
  createAgent,
  defineHooks,
  fallbackModel,
  limitedModel,
  routerModel,
  scriptedModel,
} from '../../src/index.ts';
import { retryModel } from '../../src/models/retry.ts';
import { a, build, tenantBudget } from './budget-desk.ts';

const giving = (stream: () => unknown): ChatModel => ({
  id: 'own',
  generate: () => Promise.reject(new Error('only streamed here')),
  stream: stream as ChatModel['stream'],
});

const rejecting = (): ChatModel =>
  giving(async () => {
    await sleep(1);
    throw new Error('the key is sk-secret');
  });

const around = defineHooks({
  name: 'around',
  async *wrapLlmCall(request, next) {
    yield* next(request);
  },
});

describe('a `stream` that gives no stream', () => {
  const unhandled = vi.fn();
  beforeEach(() => {
    unhandled.mockClear();
    process.on('unhandledRejection', unhandled);
  });
  afterEach(() => {
    process.off('unhandledRejection', unhandled);
  });

  async function failureOf(model: ChatModel, more: Parameters<typeof build>[1] = {}) {
    const { agent } = build([], { model, budgets: [], ...more });
    const result = await agent.stream(a).result;
    await sleep(10);
    expect(unhandled).not.toHaveBeenCalled();
    expect(result.status).toBe('failed');
    return result.status === 'failed' ? result.error : undefined;
  }

  test.each([
    ['a promise that rejects', rejecting(), 'a promise'],
    ['a promise', giving(async () => []), 'a promise'],
    ['an array', giving(() => [{ type: 'text', text: 'hi' }]), 'an array'],
    ['nothing', giving(() => undefined), 'undefined'],
    ['null', giving(() => null), 'null'],
    ['a text', giving(() => 'hi'), 'a string'],
    ['an object', giving(() => ({ [Symbol.asyncIterator]: 1 })), 'an object'],
  ])('fails the run and says so: %s', async (_what, model, kind) => {
    expect(await failureOf(model)).toMatchObject({
      name: 'ModelError',
      code: 'invalid-response',
      message: expect.stringContaining(`model 'own'`),
    });
    const error = await failureOf(model);
    expect(error?.message).toContain(`its \`stream\` gave ${kind} in place of an async iterable`);
    expect(error?.message).not.toContain('secret');
  });

  test.each([
    ['a policy', (model: ChatModel) => failureOf(model, { hooks: [around] })],
    ['a budget', (model: ChatModel) => failureOf(model, { budgets: [tenantBudget()] })],
    ['retryModel', (model: ChatModel) => failureOf(retryModel(model, { minDelayMs: 1 }))],
    ['limitedModel', (model: ChatModel) => failureOf(limitedModel(model, { maxConcurrent: 1 }))],
    [
      'routerModel',
      (model: ChatModel) => failureOf(routerModel({ models: { model }, route: () => 'model' })),
    ],
  ])('so it does below %s', async (_what, fail) => {
    expect(await fail(rejecting())).toMatchObject({ code: 'invalid-response' });
  });

  test('fallbackModel asks the next one', async () => {
    const model = fallbackModel([rejecting(), scriptedModel(['hello'])]);
    const agent = createAgent({ name: 'desk', model });
    expect(await agent.stream({ message: 'hi' }).result).toMatchObject({ text: 'hello' });
    await sleep(10);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
