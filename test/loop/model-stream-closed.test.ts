import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatModel, createAgent } from 'agent-hooks';
import { expect, test } from 'vitest';

test('a cancel closes the stream of a model that does not watch its signal', async () => {
  let pieces = 0;
  let isOpen = true;
  const model: ChatModel = {
    id: 'endless',
    generate: () => Promise.reject(new Error('not used')),
    async *stream() {
      try {
        // Bounded, so that a failing test ends too.
        for (; pieces < 200; pieces += 1) {
          await sleep(2);
          yield { type: 'text', text: 'x' };
        }
      } finally {
        isOpen = false;
      }
    },
  };
  const agent = createAgent({ name: 'a', model });
  const stream = agent.stream({ threadId: 't', message: 'go' });
  await sleep(20);
  await agent.cancel('t');
  const atCancel = pieces;
  await stream.result;
  await sleep(40);
  expect(isOpen).toBe(false);
  expect(pieces).toBeLessThanOrEqual(atCancel + 1);
});
