import assert from 'node:assert/strict';
import type { ThreadStore } from '../../../stores/port.ts';
import { claimed, refused, type StoreCase } from './case.ts';
import { FULL, fullThread, IDS, THREAD } from './full-thread.ts';
import {
  approval,
  changes,
  event,
  everything,
  intent,
  same,
  toolResult,
  userMessage,
} from './samples.ts';

export const deleteCases: readonly StoreCase[] = [
  {
    name: 'delete: everything of the thread is gone, and no other thread has lost anything',
    check: async ({ store }) => {
      const token = await fullThread(store);
      const others = ['thread/1.1.0', 'threa', 'Thread', 'thread '];
      for (const id of others) {
        const own = changes({ messages: [userMessage(id)], approvals: [approval(id, `of ${id}`)] });
        await store.commit(id, await claimed(store, id), 0, own);
      }
      await store.deleteThread(THREAD, token);
      await assertGone(store);
      same((await store.pendingApprovals()).length, others.length);
      for (const id of others) same(await store.readMessages(id), [userMessage(id)]);
    },
  },
  {
    name: 'delete: without the claim nothing is removed',
    check: async ({ store, pass }) => {
      const token = await fullThread(store);
      const before = await everything(store, THREAD, IDS);
      await refused('thread-conflict', () => store.deleteThread(THREAD, token + 1));
      await refused('thread-conflict', () => store.deleteThread(THREAD, token - 1));
      await refused('thread-conflict', () => store.deleteThread('nobody', 1));
      pass(60_000);
      const taken = await claimed(store, THREAD, 'another');
      await refused('thread-conflict', () => store.deleteThread(THREAD, token));
      await store.release(THREAD, taken);
      await refused('thread-conflict', () => store.deleteThread(THREAD, taken));
      same(await everything(store, THREAD, IDS), before);
    },
  },
  {
    name: 'delete: nothing happens for a thread that is not there',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await store.deleteThread(THREAD, token);
      await assertGone(store);
      await store.commit(THREAD, token, 0, FULL);
      await store.deleteThread(THREAD, token);
      await store.deleteThread(THREAD, token);
      await assertGone(store);
    },
  },
  {
    name: 'delete: whoever held the thread before stays refused, and tokens go on',
    check: async ({ store, pass }) => {
      const old = await fullThread(store);
      pass(60_000);
      const token = await claimed(store, THREAD, 'another');
      await store.deleteThread(THREAD, token);
      await refused('thread-conflict', () => store.commit(THREAD, old, 0, FULL));
      await refused('thread-conflict', () => store.commit(THREAD, old, 1, FULL));
      await refused('thread-busy', () => claimed(store, THREAD, 'a third'));
      await store.release(THREAD, token);
      await refused('thread-conflict', () => store.commit(THREAD, old, 0, FULL));
      assert.ok((await claimed(store, THREAD, 'a third')) > token);
      await assertGone(store);
    },
  },
  {
    name: 'delete: an outcome that comes late is dropped',
    check: async ({ store }) => {
      await store.deleteThread(THREAD, await fullThread(store));
      await store.recordLate(THREAD, 'c1', toolResult('late'));
      await assertGone(store);
    },
  },
  {
    name: 'delete: its ids are free, and a thread of its id begins anew',
    check: async ({ store }) => {
      const token = await fullThread(store);
      await store.deleteThread(THREAD, token);
      const anew = changes({
        messages: [userMessage('anew')],
        events: [event(THREAD, 1)],
        ledger: [intent('c1', 'another digest')],
      });
      await store.commit(THREAD, token, 0, anew);
      const theirs = changes({ approvals: [approval('other', 'a1')] });
      await store.commit('other', await claimed(store, 'other'), 0, theirs);
      same(await store.load(THREAD), {
        threadId: THREAD,
        version: 1,
        state: {},
        messageCount: 1,
        lastSeq: 1,
        memory: {},
      });
      same(await store.readMessages(THREAD), anew.messages);
      same(await store.readLedger(THREAD, IDS.callIds), anew.ledger);
      same(await store.findApproval('a1'), approval('other', 'a1'));
    },
  },
];

/** As if it had never been committed. */
async function assertGone(store: ThreadStore): Promise<void> {
  assert.equal(await store.load(THREAD), undefined);
  same(await store.readMessages(THREAD), []);
  same(await store.readEvents(THREAD), []);
  same(await store.readLedger(THREAD, IDS.callIds), []);
  same(await store.pendingApprovals({ threadId: THREAD }), []);
  const listed = await store.listThreads();
  assert.ok(!listed.some(({ threadId }) => threadId === THREAD));
  for (const id of IDS.approvalIds) assert.equal(await store.findApproval(id), undefined);
  for (const id of IDS.artifactIds) assert.equal(await store.readArtifact(THREAD, id), undefined);
}
