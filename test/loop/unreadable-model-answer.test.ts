import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatModel, createAgent, type ModelResponse, memoryStore } from 'agent-hooks';
import { expect, test } from 'vitest';

const trap = (): never => {
  throw new Error('a trap');
};

const modelOf = (generate: () => Promise<ModelResponse>): ChatModel => ({
  id: 'm',
  generate,
  stream: trap,
});

test('an answer whose members throw when they are read is a ModelError', async () => {
  const answer = { content: [], finishReason: 'stop' } as unknown as ModelResponse;
  Object.defineProperty(answer, 'usage', { enumerable: true, get: trap });
  const agent = createAgent({ name: 'a', model: modelOf(async () => answer) });
  const result = await Promise.race([agent.run({ message: 'go' }), sleep(500, undefined)]);
  expect(result).toMatchObject({ status: 'failed', error: { code: 'invalid-response' } });
});

test('an error that cannot be looked at is a ModelError', async () => {
  const thrown: unknown = new Proxy({}, { has: trap, getPrototypeOf: trap });
  const agent = createAgent({ name: 'a', model: modelOf(() => Promise.reject(thrown)) });
  const result = await agent.run({ message: 'go' });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'model-failed' } });
});

test('an answer whose promise throws when it is waited for ends the turn, in the store too', async () => {
  const store = memoryStore();
  const generate = () => Object.defineProperty(Promise.resolve(), 'then', { value: trap });
  const agent = createAgent({
    name: 'a',
    model: modelOf(generate as unknown as () => Promise<ModelResponse>),
    store,
  });
  const result = await agent.run({ threadId: 't', message: 'go' });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'model-failed' } });
  const types = (await store.readEvents('t')).map(({ type }) => type);
  expect(types.filter((type) => type === 'turn.finished')).toHaveLength(1);
});
