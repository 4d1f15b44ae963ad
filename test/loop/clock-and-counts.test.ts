import { createAgent, scriptedModel, toolCallsOf } from 'agent-hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { callPay, callRead, desk } from './desk.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a clock that goes back does not give a turn more time', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const script = Array.from({ length: 10 }, () => () => {
    vi.advanceTimersByTime(20);
    vi.setSystemTime(Date.now() - 100);
    return { toolCalls: [callRead] };
  });
  const { agent } = desk({ script, more: { limits: { wallTimeMs: 50, steps: 9 } } });
  expect(await agent.run({ message: 'go' })).toMatchObject({
    status: 'limited',
    limit: 'wall-time',
  });
});

test('token counts stay numbers that JSON can hold', async () => {
  const usage = { inputTokens: 1e308, outputTokens: 0 };
  const script = [
    { toolCalls: [callPay(5)], usage },
    { text: 'done', usage },
  ];
  const { agent, store } = desk({ script });
  await agent.run({ threadId: 't', message: 'go' });
  expect(JSON.stringify(await store.load('t'))).not.toContain('null');
});

test('a tool name with half a character enters the history well-formed', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'p\ud800', id: 'c\ud800' }] }, 'done']);
  const { messages } = await createAgent({ name: 'a', model }).run({ message: 'go' });
  const [call] = messages.flatMap(toolCallsOf);
  expect(call?.toolName.isWellFormed()).toBe(true);
  expect(call?.providerCallId.isWellFormed()).toBe(true);
});

test('a signal that is none is a mistake of the caller with a name', async () => {
  const { agent } = desk({ script: ['hello'] });
  const input = { message: 'go', signal: {} as AbortSignal };
  await expect(agent.run(input)).rejects.toMatchObject({ code: 'invalid-input' });
});
