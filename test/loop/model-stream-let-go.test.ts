import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatModel, type ChatStreamPart, createAgent, type ModelResponse } from 'agent-hooks';
import { describe, expect, test } from 'vitest';

const finish: ChatStreamPart = {
  type: 'finish',
  result: { finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } },
};

/** A model whose stream gives these parts, then nothing more, and ends as `close` does. */
function modelOf(parts: readonly ChatStreamPart[], close: () => unknown): ChatModel {
  return {
    id: 'm',
    generate: () => Promise.reject(new Error('not used')),
    stream: () => {
      const rest = parts.values();
      const next = () => {
        const { done, value } = rest.next();
        return done ? new Promise(() => undefined) : Promise.resolve({ done, value });
      };
      return { [Symbol.asyncIterator]: () => ({ next, return: close }) } as never; // Only what a reader needs.
    },
  };
}

const WAYS: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('cannot close');
    },
  ],
  ['rejects', () => Promise.reject(new Error('cannot close'))],
  ['hangs', () => new Promise(() => undefined)],
];

describe.each(WAYS)('a stream that %s when it is closed', (_way, close) => {
  test('is let go of by a cancel all the same', async () => {
    const model = modelOf([{ type: 'text', text: 'x' }], close);
    const agent = createAgent({ name: 'a', model });
    const stream = agent.stream({ threadId: 't', message: 'go' });
    await sleep(10);
    const ended = await Promise.race([agent.cancel('t'), sleep(500, undefined)]);
    expect(ended).toMatchObject({ status: 'cancelled' });
    expect(await stream.result).toMatchObject({ status: 'cancelled' });
  });

  test('does not hold the error back that it is closed for', async () => {
    const model = modelOf([finish, finish], close);
    const stream = createAgent({ name: 'a', model }).stream({ message: 'go' });
    expect(await Promise.race([stream.result, sleep(500, undefined)])).toMatchObject({
      status: 'failed',
      error: { code: 'invalid-response' },
    });
  });
});

test('a model is not asked again after a cancel, also when it had answered nothing', async () => {
  let calls = 0;
  const controller = new AbortController();
  const empty: ModelResponse = {
    content: [],
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 0 },
  };
  const model: ChatModel = {
    id: 'm',
    generate: async () => {
      calls += 1;
      queueMicrotask(() => queueMicrotask(() => controller.abort()));
      return empty;
    },
    stream: () => expect.unreachable(),
  };
  const agent = createAgent({ name: 'a', model });
  agent.on('llm.retrying', () => controller.abort());
  const result = await agent.run({ message: 'go', signal: controller.signal });
  expect(result.status).toBe('cancelled');
  expect(calls).toBe(1);
});
