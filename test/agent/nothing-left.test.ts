import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentHooks,
  createAgent,
  defineHooks,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const slow = tool({
  name: 'slow',
  description: 'Takes a moment',
  inputSchema: z.object({}),
  sideEffects: 'none',
  timeoutMs: 10_000,
  execute: () => sleep(5, 'done'),
});

const slowly = defineHooks({
  name: 'slowly',
  preLlmRequest: async () => void (await sleep(2)),
  onLlmResponse: async () => void (await sleep(2)),
  preToolUse: async () => void (await sleep(2)),
  postToolUse: async () => void (await sleep(2)),
  onEvent: async () => void (await sleep(1)),
});
const hanging = defineHooks({
  name: 'hanging',
  options: { onLlmResponse: { timeoutMs: 20 } },
  onLlmResponse: () => new Promise<undefined>(() => undefined),
});
const rejecting = defineHooks({
  name: 'rejecting',
  onLlmResponse: () => ResponseDecision.retryWithFeedback('again'),
});

const calls: ScriptEntry = { toolCalls: [{ name: 'slow' }, { name: 'slow' }] };
const runs: readonly (readonly [string, readonly AgentHooks[], string])[] = [
  ['that completes', [slowly], 'completed'],
  ['whose policy hangs past its limit', [hanging], 'failed'],
  ['that ends at the retry cap', [rejecting], 'failed'],
];

/** Kinds of what still holds the event loop, counted. */
function active(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function agentWith(hooks: readonly AgentHooks[], store?: ThreadStore) {
  const model = scriptedModel([calls, ...Array.from({ length: 8 }, () => 'done')], { delayMs: 1 });
  const more = store === undefined ? {} : { store };
  return createAgent({ name: 'a', model, tools: [slow], hooks, ...more });
}

describe('a finished run leaves nothing on the event loop', () => {
  for (const [name, hooks, status] of runs) {
    test(`one ${name}`, async () => {
      const before = active();
      const agent = agentWith(hooks);
      expect((await agent.run({ message: 'go' })).status).toBe(status);
      await agent.settled();
      // Observers of the last events have up to 100 ms of their own.
      await expect.poll(active, { timeout: 500 }).toEqual(before);
    });
  }

  test('one that is cancelled in a tool, with a signal that goes on living', async () => {
    const before = active();
    const controller = new AbortController();
    const running = agentWith([slowly]).run({ message: 'go', signal: controller.signal });
    await sleep(12);
    controller.abort();
    expect((await running).status).toBe('cancelled');
    await expect.poll(active, { timeout: 500 }).toEqual(before);
  });

  test('one that is streamed and left early, on SQLite', async () => {
    const before = active();
    const store = sqliteStore({ path: ':memory:' });
    const stream = agentWith([slowly], store).stream({ message: 'go' });
    for await (const _event of stream) break;
    expect((await stream.result).status).toBe('completed');
    await store.close?.();
    await expect.poll(active, { timeout: 500 }).toEqual(before);
  });

  test('without a leaked timer it would see one', () => {
    const before = active();
    const timer = setTimeout(() => undefined, 1_000);
    expect(active()).not.toEqual(before);
    clearTimeout(timer);
  });
});
