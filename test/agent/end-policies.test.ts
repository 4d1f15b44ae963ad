import { createAgent, defineHooks, scriptedModel } from 'agent-hooks';
import { expect, test } from 'vitest';

test('a policy that watches hears of the end of a thread', async () => {
  const heard: string[] = [];
  const watch = defineHooks({ name: 'watch', onEvent: ({ type }) => void heard.push(type) });
  const agent = createAgent({ name: 'a', model: scriptedModel(['ok']), hooks: [watch] });
  await agent.run({ threadId: 't', message: 'go' });
  await agent.endThread('t', 'done');
  expect(heard.at(-1)).toBe('thread.ended');
});

test('policies that are made for a thread are asked about its end only with a context to make them of', async () => {
  const made: unknown[] = [];
  const heard: string[] = [];
  const agent = createAgent<string>({
    name: 'a',
    model: scriptedModel([1, 2].map(() => ({ toolCalls: [{ name: 'none' }] }))),
    hooks: ({ context }) => {
      made.push(context);
      return [defineHooks({ name: 'watch', onEvent: ({ type }) => void heard.push(type) })];
    },
  });
  for (const threadId of ['one', 'two'])
    await agent.runStep({ threadId, message: 'go', context: 'first' });
  heard.length = 0;
  expect((await agent.cancel('one')).status).toBe('cancelled');
  expect({ made, heard }).toEqual({ made: ['first', 'first'], heard: [] });
  expect((await agent.cancel('two', { context: 'last' })).status).toBe('cancelled');
  expect(made).toEqual(['first', 'first', 'last']);
  expect(heard.at(-1)).toBe('turn.finished');
});

test('what is no such thing is refused before anything is cancelled', async () => {
  const agent = createAgent({ name: 'a', model: scriptedModel(['ok']) });
  await expect(agent.cancel('t', { contxt: 1 } as never)).rejects.toMatchObject({
    code: 'unknown-option',
  });
});
