import {
  createAgent,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  tool,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { dyingStore } from './desk.ts';

const ran: string[] = [];

function deskOf(version: string, store: ThreadStore) {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    sideEffects: 'idempotent',
    tier: 'auto',
    version,
    execute: () => {
      ran.push(version);
      return 'paid';
    },
  });
  const model = scriptedModel(
    Array.from(
      { length: 4 },
      () =>
        ({ messages }: { messages: readonly { role: string }[] }) =>
          messages.at(-1)?.role === 'tool' ? 'done' : { toolCalls: [{ name: 'pay' }] },
    ) as never,
  );
  return createAgent({ name: 'desk', model, tools: [pay], store });
}

/** The process ends when the call is about to run, or has run and is not stored; another one goes on. */
async function goOnWith(version: string, commits: number) {
  ran.length = 0;
  let now = 1_000;
  const disk = memoryStore({ now: () => now });
  const start = { threadId: 't', message: 'go' };
  await deskOf('1', dyingStore(disk, commits))
    .run(start)
    .catch((error: unknown) => error);
  expect((await disk.load('t'))?.state['phase']).toMatchObject({ name: 'running' });
  const before = ran.length;
  now += 60_000;
  const result = await deskOf(version, disk).resume({ threadId: 't' });
  return { after: ran.slice(before), result: result.messages.flatMap(toolResultsOf)[0] };
}

describe('a call that was judged before a crash', () => {
  test('runs in another process when the tool is the same', async () => {
    const { after, result } = await goOnWith('1', 2);
    expect(after).toEqual(['1']);
    expect(result).toMatchObject({ outcome: 'succeeded', output: 'paid' });
  });

  test('does not run there when the tool has become another one', async () => {
    const { after, result } = await goOnWith('2', 2);
    expect(after).toEqual([]);
    // It may be repeated, and nothing says that the process that ended has not run it.
    expect(result).toMatchObject({ outcome: 'unknown' });
  });
});
