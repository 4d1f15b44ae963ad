import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { sleep } from '../acceptance/play.ts';

test('U-W14: of five calls no more than two run at once, and two do', async () => {
  let now = 0;
  let most = 0;
  const look = tool({
    name: 'look',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: async () => {
      now += 1;
      most = Math.max(most, now);
      await sleep(5);
      now -= 1;
      return null;
    },
  });
  const toolCalls = Array.from({ length: 5 }, () => ({ name: 'look' }));
  const model = scriptedModel([{ toolCalls }, 'done']);
  const agent = createAgent({ name: 'a', model, tools: [look], maxParallelTools: 2 });
  expect((await agent.run({ message: 'go' })).status).toBe('completed');
  expect(most).toBe(2);
});
