import { defineHooks, ToolDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, desk } from '../loop/desk.ts';

describe('endThread', () => {
  test('ends an open turn first, tells observers, and a message begins a new turn', async () => {
    const ask = defineHooks({
      name: 'ask',
      preToolUse: () => ToolDecision.requiresConfirmation('pay?'),
    });
    const script = [{ toolCalls: [callPay(5)] }, 'hello again'];
    const { agent, store, log } = desk({ script, hooks: [ask] });
    await agent.run({ threadId: 't', message: 'go' });
    let waited = false;
    agent.on('thread.ended', async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      waited = true;
    });
    await agent.endThread('t', 'the user left');
    expect(waited).toBe(true);
    expect(log).not.toContain('pay 5');
    const events = await store.readEvents('t');
    expect(events.slice(-2)).toMatchObject([
      { type: 'turn.finished', status: 'cancelled' },
      { type: 'thread.ended', reason: 'the user left' },
    ]);
    expect(await agent.run({ threadId: 't', message: 'hi' })).toMatchObject({
      status: 'completed',
    });
  });

  test('an unknown thread is an error', async () => {
    const { agent } = desk({ script: [] });
    await expect(agent.endThread('nobody', 'x')).rejects.toMatchObject({ code: 'unknown-thread' });
  });
});
