import { defineHooks, ResponseDecision } from 'agent-hooks';
import { expect, test } from 'vitest';
import { callPay, desk } from './desk.ts';

const redact = defineHooks({
  name: 'redact',
  onLlmResponse: ({ text }) =>
    text === 'a secret' ? ResponseDecision.modify({ text: '***' }) : undefined,
});

for (const hooks of [[], [redact]]) {
  test(`calls of an answer that did not stop for them do not run with ${hooks.length} policies that rewrite its text`, async () => {
    const script = [
      { text: 'a secret', toolCalls: [callPay(5)], finishReason: 'stop' as const },
      'done',
    ];
    const { agent, log } = desk({ script, hooks });
    const result = await agent.run({ message: 'go' });
    expect(result.status).toBe('completed');
    expect(log).not.toContain('pay 5');
  });
}
