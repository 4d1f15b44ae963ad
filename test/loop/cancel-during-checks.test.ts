import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { callPay } from './desk.ts';

test('a cancel interrupts a schema that never answers', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z
      .object({ euros: z.number() })
      .refine(() => new Promise<boolean>(() => undefined)),
    tier: 'auto',
    execute: () => 'paid',
  });
  const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
  const agent = createAgent({ name: 'a', model, tools: [pay] });
  void agent.run({ threadId: 't', message: 'go' });
  await sleep(20);
  const ended = await Promise.race([agent.cancel('t'), sleep(500, undefined)]);
  expect(ended).toMatchObject({ status: 'cancelled' });
});
