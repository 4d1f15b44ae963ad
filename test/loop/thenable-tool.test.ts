import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { callPay } from './desk.ts';

test('a tool that returns a thenable whose `then` returns nothing is waited for', async () => {
  const log: string[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    tier: 'auto',
    execute: ({ euros }) =>
      ({
        // biome-ignore lint/suspicious/noThenProperty: what some query builders return
        then(resolve: (value: unknown) => void) {
          setTimeout(() => {
            log.push(`pay ${euros}`);
            resolve({ paid: euros });
          }, 10);
        },
      }) as unknown as PromiseLike<unknown>, // The port takes whatever `await` would wait for.
  });
  const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
  const result = await createAgent({ name: 'a', model, tools: [pay] }).run({ message: 'go' });
  expect(log).toEqual(['pay 5']);
  expect(result.messages[2]).toMatchObject({
    content: [{ outcome: 'succeeded', output: { paid: 5 } }],
  });
});
