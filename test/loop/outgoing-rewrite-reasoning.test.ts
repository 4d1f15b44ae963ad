import { defineHooks, MessageDecision } from 'agent-hooks';
import { expect, test } from 'vitest';
import { callRead, desk } from './desk.ts';

const SECRET = 'SSN-123';
const redact = defineHooks({
  name: 'redact',
  onOutgoingMessage: ({ text }) =>
    text.includes(SECRET) ? MessageDecision.modify(text.replaceAll(SECRET, '***')) : undefined,
});
const spoken = { reasoning: `the number is ${SECRET}`, text: `It is ${SECRET}` };

for (const [name, script] of [
  ['the last text', [spoken]],
  ['a text beside calls', [{ ...spoken, toolCalls: [callRead] }, 'done']],
] as const) {
  test(`what is rewritten out of ${name} does not stay in its reasoning`, async () => {
    const { agent, store } = desk({ script, hooks: [redact] });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result.status).toBe('completed');
    expect(JSON.stringify(result)).toContain('***');
    expect(JSON.stringify([result, await store.readMessages('t')])).not.toContain(SECRET);
  });
}
