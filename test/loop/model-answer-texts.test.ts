import { type ChatModel, createAgent, type ModelResponse, memoryStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';

const HALF = 'a\ud800';
const usage = { inputTokens: 1, outputTokens: 1 };

function agentOf(answer: ModelResponse) {
  const store = memoryStore();
  const model: ChatModel = {
    id: 'm',
    generate: async () => answer,
    stream: () => expect.unreachable(),
  };
  return { agent: createAgent({ name: 'a', model, store }), store };
}

test('nothing of a model’s answer or of a message enters the history ill-formed', async () => {
  const { agent, store } = agentOf({
    id: HALF,
    content: [
      { type: 'text', text: HALF },
      { type: 'reasoning', text: HALF, providerMetadata: { [HALF]: HALF } },
      { type: 'file', mediaType: HALF, url: HALF, filename: HALF },
    ],
    finishReason: 'stop',
    usage,
  });
  const message = { role: 'user', content: [{ type: 'text', text: HALF }] } as const;
  const result = await agent.run({ threadId: 't', message });
  expect(result.status).toBe('completed');
  const kept = [result.messages, await store.readMessages('t'), await store.readEvents('t')];
  for (const each of kept) {
    // JSON writes half a character as an escape.
    expect(JSON.stringify(each)).not.toContain('ud800');
  }
});

describe('a count of tokens', () => {
  test.each([0.5, -1, 1e308, Number.NaN, Number.MAX_SAFE_INTEGER + 1])(
    'of %d makes the answer one that is not used',
    async (inputTokens) => {
      const content = [{ type: 'text', text: 'hello' }] as const;
      const { agent } = agentOf({
        content,
        finishReason: 'stop',
        usage: { ...usage, inputTokens },
      });
      expect(await agent.run({ message: 'go' })).toMatchObject({
        status: 'failed',
        error: { code: 'invalid-response' },
      });
    },
  );
});
