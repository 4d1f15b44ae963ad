import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { callPay } from './desk.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An agent whose tool has a schema that answers after so many milliseconds. */
function agentWith(delayMs: number) {
  const log: string[] = [];
  const slow = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), delayMs));
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }).refine(slow),
    tier: 'auto',
    execute: () => log.push('paid'),
  });
  const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
  return { agent: createAgent({ name: 'a', model, tools: [pay] }), log };
}

test('a schema that takes longer than 5 s refuses the call, and the turn goes on', async () => {
  const { agent, log } = agentWith(60_000);
  const running = agent.run({ message: 'go' });
  await vi.advanceTimersByTimeAsync(5_000);
  const result = await running;
  expect(result).toMatchObject({ status: 'completed', text: 'done' });
  expect(result.messages[2]).toMatchObject({ content: [{ outcome: 'invalid' }] });
  expect(log).toEqual([]);
});

test('a schema that answers in time is waited for, and leaves no timer', async () => {
  const { agent, log } = agentWith(4_000);
  const running = agent.run({ message: 'go' });
  await vi.advanceTimersByTimeAsync(8_000);
  expect(await running).toMatchObject({ status: 'completed' });
  expect(log).toEqual(['paid']);
  expect(vi.getTimerCount()).toBe(0);
});
