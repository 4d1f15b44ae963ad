import { isDeepStrictEqual } from 'node:util';
import {
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  ToolDecision,
  tool,
  toolCallsOf,
  toolResultsOf,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { dyingStore } from './desk.ts';

/** As section 6 of the guide has it. */
const asks = defineHooks({
  name: 'asks',
  preToolUse: (call, { messages }) => {
    const results = messages.flatMap(toolResultsOf);
    const unknown = results.filter(({ outcome }) => outcome === 'unknown');
    const ids = unknown.map(({ callId }) => callId);
    const isRepeat = messages
      .flatMap(toolCallsOf)
      .some((one) => ids.includes(one.callId) && isDeepStrictEqual(one.input, call.effectiveInput));
    return isRepeat ? ToolDecision.requiresConfirmation('Checked?') : undefined;
  },
});

/** Ends its process in the middle of the first payment, and closes that turn with a message that pays `euros`. */
async function payAgain(euros: number, hooks: readonly (typeof asks)[]) {
  let now = 1_000;
  const disk = memoryStore({ now: () => now });
  const keys: string[] = [];
  const agentOn = (commits: number, script: Parameters<typeof scriptedModel>[0]) => {
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ euros: z.number() }),
      tier: 'auto',
      execute: (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        return 'paid';
      },
    });
    const store = dyingStore(disk, commits);
    return createAgent({ name: 'desk', model: scriptedModel(script), tools: [pay], store, hooks });
  };
  const call = (sum: number) => ({ toolCalls: [{ name: 'pay', input: { euros: sum } }] });
  // What it paid is not stored.
  await agentOn(2, [call(5)])
    .run({ threadId: 't', message: 'pay' })
    .catch(() => undefined);
  now += 60_000;
  const agent = agentOn(99, [call(euros), 'done']);
  const result = await agent.run({ threadId: 't', message: 'Where is it? Pay!' });
  const outcomes = (await disk.readMessages('t')).flatMap(toolResultsOf).map((one) => one.outcome);
  return { status: result.status, keys, outcomes };
}

test('a call of unknown outcome is not run again, and the same call of a later turn runs under a key of its own', async () => {
  const { status, keys, outcomes } = await payAgain(5, []);
  expect([status, outcomes]).toEqual(['completed', ['unknown', 'succeeded']]);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

test('a policy finds the unknown outcome in the history, and asks before the same call, and no other', async () => {
  const same = await payAgain(5, [asks]);
  expect([same.status, same.keys.length]).toEqual(['awaiting-approval', 1]);
  const other = await payAgain(6, [asks]);
  expect([other.status, other.outcomes]).toEqual(['completed', ['unknown', 'succeeded']]);
});
