import { createAgent, memoryStore, scriptedModel, tool } from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { yesTo } from './subagents/team.ts';

test('a message interrupts a turn that an answer lets go on', async () => {
  const started: string[] = [];
  const look = tool({
    name: 'look',
    description: 'Looks',
    inputSchema: z.object({}),
    tier: 'confirm',
    sideEffects: 'none',
    execute: (_input, { signal }) => {
      started.push('look');
      return new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'look', input: {} }] }, 'two']);
  const agent = createAgent({ name: 'a', model, tools: [look], onBusy: 'interrupt' });
  const asked = await agent.run({ threadId: 't', message: 'go' });
  const going = agent.resume({ threadId: 't', answers: yesTo(asked) });
  while (started.length === 0) await new Promise(setImmediate);
  const next = agent.run({ threadId: 't', message: 'stop' });
  expect((await going).status).toBe('cancelled');
  expect(await next).toMatchObject({ status: 'completed', text: 'two' });
});

test('a message whose signal was aborted before it came does not wait for those before it', async () => {
  const store = memoryStore();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model = scriptedModel([
    async () => {
      await held;
      return 'one';
    },
  ]);
  const agent = createAgent({ name: 'a', model, store, onBusy: 'queue' });
  const first = agent.run({ threadId: 't', message: '1' });
  const second = await agent.run({ threadId: 't', message: '2', signal: AbortSignal.abort() });
  expect(second).toMatchObject({ status: 'cancelled', turnId: '' });
  release();
  expect(await first).toMatchObject({ status: 'completed', text: 'one' });
});
