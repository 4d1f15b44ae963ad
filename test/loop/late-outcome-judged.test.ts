import {
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  ToolResultDecision,
  tool,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { failingStore } from '../acceptance/failing-store.ts';

test('L8: an outcome that came after its limit is judged by postToolUse before a resumed turn uses it', async () => {
  const disk = memoryStore();
  const store = failingStore(disk, (commit) => commit === 3);
  let answer: (output: unknown) => void = () => undefined;
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    tier: 'auto',
    timeoutMs: 5,
    execute: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const redact = defineHooks({
    name: 'redact',
    postToolUse: () => ToolResultDecision.modify({ output: { card: '***' } }),
  });
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'done']),
    tools: [pay],
    hooks: [redact],
    store,
    cancelGraceMs: 1,
  });
  const failed = await agent.run({ threadId: 't', message: 'go' });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
  answer({ card: 'SECRET' });
  await expect
    .poll(async () => (await disk.readLedger('t', ['1.1.0']))[0]?.status)
    .toBe('finished');
  const result = await agent.resume({ threadId: 't' });
  expect(result.status).toBe('completed');
  const messages = JSON.stringify(await disk.readMessages('t'));
  expect(messages).toContain('***');
  expect(messages).not.toContain('SECRET');
});
