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

test.each([
  ['a resumed turn uses it', 'completed'],
  ['it enters the history of a cancelled turn', 'cancelled'],
])(
  'L8: an outcome that came after its limit is judged by postToolUse before %s',
  async (_what, status) => {
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
    const heard: string[] = [];
    agent.on('turn.finished', (event) => void heard.push(event.status));
    const result =
      status === 'completed' ? await agent.resume({ threadId: 't' }) : await agent.cancel('t');
    expect(result.status).toBe(status);
    expect(heard).toEqual([status]);
    const messages = JSON.stringify(await disk.readMessages('t'));
    expect(messages).toContain('***');
    expect(messages).not.toContain('SECRET');
  },
);
