import {
  createAgent,
  defineHooks,
  memoryStore,
  ResponseDecision,
  scriptedModel,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';

const CARD = '4111 1111 1111 1111';

describe('what a policy does to the thoughts of a model', () => {
  const rewrites = {
    'taking them out': { reasoning: '' },
    'writing others': { reasoning: 'the card' },
  };
  for (const [name, rewrite] of Object.entries(rewrites)) {
    test(`${name} leaves nothing of them in the history or the result`, async () => {
      const redact = defineHooks({
        name: 'redact',
        onLlmResponse: (response) =>
          response.reasoning.includes(CARD) ? ResponseDecision.modify(rewrite) : undefined,
      });
      const store = memoryStore();
      const model = scriptedModel([{ reasoning: `it is ${CARD}`, text: 'Done.' }]);
      const agent = createAgent({ name: 'a', model, hooks: [redact], store });
      const result = await agent.run({ threadId: 't', message: 'go' });
      expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
      expect(JSON.stringify([result, await store.readMessages('t')])).not.toContain(CARD);
    });
  }

  test('without the policy they are kept, for the provider', async () => {
    const store = memoryStore();
    const model = scriptedModel([{ reasoning: `it is ${CARD}`, text: 'Done.' }]);
    await createAgent({ name: 'a', model, store }).run({ threadId: 't', message: 'go' });
    expect(JSON.stringify(await store.readMessages('t'))).toContain(CARD);
  });

  test('a whole response with another text fits, and leaves the thoughts to the rule for texts', async () => {
    const shout = defineHooks({
      name: 'shout',
      onLlmResponse: (response) => ResponseDecision.modify({ ...response, text: 'DONE.' }),
    });
    const model = scriptedModel([{ reasoning: 'quietly', text: 'Done.' }]);
    const result = await createAgent({ name: 'a', model, hooks: [shout] }).run({ message: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'DONE.' });
    expect(JSON.stringify(result.messages)).not.toContain('quietly');
  });
});
