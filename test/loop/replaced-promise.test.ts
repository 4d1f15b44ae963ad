import { createAgent, hostTool, scriptedModel } from 'agent-hooks';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';

const Native = globalThis.Promise;

afterEach(() => {
  globalThis.Promise = Native;
});

// As tools that trace do. What async functions give stays the language's own.
test('an app may put a promise of its own in the place of the global one', async () => {
  globalThis.Promise = class Traced<Value> extends Native<Value> {};
  const pick = hostTool({
    name: 'pick',
    description: 'Picks',
    inputSchema: z.object({}),
    outputSchema: z.any(),
    sideEffects: 'none',
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'pick' }] }, 'ok']);
  const agent = createAgent({ name: 'a', tools: [pick], model });
  const waits = await agent.run({ threadId: 't', message: 'go' });
  expect(waits.status).toBe('awaiting-tools');
  const calls = waits.status === 'awaiting-tools' ? waits.calls : [];
  const results = calls.map(({ callId }) => ({ callId, output: 1 }));
  const done = await agent.submitToolResults({ threadId: 't', results });
  expect(done).toMatchObject({ status: 'completed', text: 'ok' });
});
