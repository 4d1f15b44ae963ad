import {
  createAgent,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { dyingStore } from './desk.ts';
import {
  agentOf,
  bodies,
  calling,
  type Held,
  heldTool,
  type More,
  outcomes,
  turn,
} from './held-tools.ts';

/** What the ledger says of each call of the thread `t`, in their order. */
async function ledgerOf(store: ThreadStore) {
  await turn();
  const ids = (await store.readEvents('t')).flatMap((event) =>
    event.type === 'tool.called' ? [event.callId] : [],
  );
  const entries = await store.readLedger('t', ids);
  return ids.map((id) => entries.find(({ callId }) => callId === id)?.status);
}

describe('a process that ends while a call waits', () => {
  const scene = (store: ThreadStore, held: Held, more: More = {}) =>
    agentOf('a', [heldTool(held, 'pay', { maxConcurrent: 1, sideEffects: 'once', ...more })], {
      store,
    });

  test('the call has not begun: another process runs it, once', async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const held = bodies();
    const before = scene(store, held);
    void before.run({ threadId: 'first', message: 'go' });
    await turn();
    void before.run({ threadId: 't', message: 'go' });
    await turn();
    now += 60_000;
    const later = bodies();
    const resumed = scene(store, later).resume({ threadId: 't' });
    await turn();
    later.next();
    expect(outcomes(await resumed)).toEqual(['succeeded']);
    expect([held.seen.began, later.seen.began]).toEqual([['pay'], ['pay']]);
    // The old process gets its slot at last, and finds the thread somebody else's.
    held.next();
    await turn();
    expect(held.seen.began).toEqual(['pay']);
  });

  for (const [commits, ran, end] of [
    [2, 'after', 'succeeded'],
    [3, 'before', 'unknown'],
    [4, 'before', 'succeeded'],
  ] as const)
    test(`after ${commits} commits: it runs once, and what is told of it is so`, async () => {
      let now = 1_000;
      const store = memoryStore({ now: () => now });
      const began: string[] = [];
      const execute = (process: string) => () => {
        began.push(process);
        return { by: process };
      };
      const held = bodies();
      const dying = scene(dyingStore(store, commits), held, { execute: execute('before') });
      await dying.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
      now += 60_000;
      await scene(store, held, { execute: execute('after') }).resume({ threadId: 't' });
      expect(began).toEqual([ran]);
      const told = (await store.readMessages('t')).flatMap(toolResultsOf);
      expect(told.map(({ outcome }) => outcome)).toEqual([end]);
    });

  test('also in the next process the start is stored with the slot', async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const held = bodies();
    const dying = scene(dyingStore(store, 2), held);
    await dying.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
    now += 60_000;
    const after = scene(store, held);
    void after.run({ threadId: 'busy', message: 'go' });
    await turn();
    const resumed = after.resume({ threadId: 't' });
    expect(await ledgerOf(store)).toEqual([undefined]);
    held.next();
    expect(await ledgerOf(store)).toEqual(['intended']);
    held.next();
    expect(outcomes(await resumed)).toEqual(['succeeded']);
  });

  test('the start of a call that waits is not stored with the end of the one before it', async () => {
    const store = memoryStore();
    const held = bodies();
    const pay = heldTool(held, 'pay', { maxConcurrent: 1, sideEffects: 'once' });
    const note = heldTool(held, 'note', { sideEffects: 'once' });
    const script = [calling('pay'), calling('note', 'pay', 'note'), 'done', 'done'];
    const model = scriptedModel(script);
    const agent = createAgent({ name: 'a', model, tools: [pay, note], store });
    const busy = agent.run({ threadId: 'busy', message: 'go' });
    await turn();
    const run = agent.run({ threadId: 't', message: 'go' });
    await turn();
    held.end('note');
    expect(await ledgerOf(store)).toEqual(['finished', undefined, undefined]);
    held.end('pay');
    expect(await ledgerOf(store)).toEqual(['finished', 'intended', undefined]);
    held.end('pay');
    expect(await ledgerOf(store)).toEqual(['finished', 'finished', 'intended']);
    held.end('note');
    await busy;
    expect(outcomes(await run)).toEqual(Array(3).fill('succeeded'));
  });
});
