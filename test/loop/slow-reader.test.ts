import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatModel, createAgent } from 'agent-hooks';
import { describe, expect, test } from 'vitest';

const PIECES = 1_000;

/** A model that can say how many of its pieces were taken. */
function countingModel(): { readonly model: ChatModel; readonly taken: () => number } {
  let taken = 0;
  const model: ChatModel = {
    id: 'm',
    generate: () => Promise.reject(new Error('not used')),
    async *stream() {
      for (; taken < PIECES; taken += 1) yield { type: 'text', text: 'x' };
      const usage = { inputTokens: 1, outputTokens: 1 };
      yield { type: 'finish', result: { finishReason: 'stop', usage } };
    },
  };
  return { model, taken: () => taken };
}

describe('a live stream', () => {
  test('takes no more from the model than a slow reader can follow', async () => {
    const { model, taken } = countingModel();
    const stream = createAgent({ name: 'a', model }).stream({ message: 'go' });
    let seen = 0;
    for await (const { type } of stream) {
      if (type !== 'llm.delta') continue;
      seen += 1;
      if (seen === 1) {
        await sleep(50);
        expect(taken()).toBeLessThan(PIECES / 2);
      }
    }
    expect(seen).toBe(PIECES);
  });

  test('goes on without a reader that left, and without one that never came', async () => {
    const left = countingModel();
    const stream = createAgent({ name: 'a', model: left.model }).stream({ message: 'go' });
    for await (const { type } of stream) if (type === 'llm.delta') break;
    expect(await stream.result).toMatchObject({ status: 'completed' });
    const unread = createAgent({ name: 'a', model: countingModel().model }).stream({
      message: 'go',
    });
    expect(await unread.result).toMatchObject({ status: 'completed' });
  });
});
