import {
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';

const newPath = tempFiles();
const STORES: readonly (readonly [name: string, open: () => ThreadStore])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: newPath() })],
];

const pay = tool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({}),
  execute: () => 'paid',
});

/** Waits for a person, for as long as is given. */
async function ask(store: ThreadStore, threadId: string, options: { expiresInMs?: number } = {}) {
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [{ name: 'pay', input: {} }] }]),
    tools: [pay],
    hooks: [
      defineHooks({
        name: 'asks',
        preToolUse: () => ToolDecision.requiresConfirmation('Pay?', options),
      }),
    ],
    store,
  });
  await agent.run({ threadId, message: 'pay' });
  return agent;
}

describe.each(STORES)('pages of open approvals on %s', (_name, open) => {
  test('are full whatever has expired between them, so the first that is not is the last', async () => {
    const store = open();
    // Ids are random: so many expired ones fill pages of their own, wherever the others are.
    for (let count = 0; count < 140; count += 1)
      await ask(store, `old ${count}`, { expiresInMs: 1 });
    const agent = await ask(store, 'a');
    for (const threadId of ['b', 'c', 'd', 'e']) await ask(store, threadId);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await store.pendingApprovals()).toHaveLength(145);
    const sizes: number[] = [];
    const seen: string[] = [];
    for (let after = ''; sizes.at(-1) !== 0; after = seen.at(-1) ?? '') {
      const page = await agent.pendingApprovals({ limit: 2, after });
      sizes.push(page.length);
      seen.push(...page.map(({ approvalId }) => approvalId));
    }
    expect(sizes).toEqual([2, 2, 1, 0]);
    expect(seen).toEqual((await agent.pendingApprovals()).map(({ approvalId }) => approvalId));
    expect(new Set(seen).size).toBe(5);
    await store.close?.();
  });

  test('of one thread and of no limit leave out what has expired as well', async () => {
    const store = open();
    const agent = await ask(store, 'old', { expiresInMs: 1 });
    await ask(store, 'new');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await agent.pendingApprovals({ threadId: 'old', limit: 1 })).toEqual([]);
    expect(await agent.pendingApprovals({ threadId: 'new', limit: 1 })).toHaveLength(1);
    expect(await agent.pendingApprovals({ limit: 0 })).toEqual([]);
    expect(await agent.pendingApprovals()).toHaveLength(1);
    await expect(agent.pendingApprovals({ limit: -1 })).rejects.toMatchObject({
      code: 'invalid-option',
    });
    await store.close?.();
  });
});
