import assert from 'node:assert/strict';
import type { ThreadChanges, ThreadStore } from '../../../stores/port.ts';
import { claimed, refused, type StoreCase } from './case.ts';
import {
  approval,
  artifact,
  changes,
  event,
  everything,
  intent,
  same,
  userMessage,
} from './samples.ts';

const THREAD = 'thread';
const IDS = {
  callIds: ['c1', 'c2', 'c3'],
  approvalIds: ['a1', 'a2', 'theirs'],
  artifactIds: ['o1', 'o2'],
};

const FIRST = changes({
  state: { step: 1 },
  messages: [userMessage('one')],
  events: [event(THREAD, 1)],
  ledger: [intent('c1')],
  approvals: [approval(THREAD, 'a1')],
  memory: { p: { n: 1 } },
  artifacts: [artifact('o1', 'one')],
});

/** Each kind of change, so that a store that forgets to take one back is found by name. */
const KINDS: Readonly<Record<keyof ThreadChanges, ThreadChanges>> = {
  state: changes({ state: { step: 2 } }),
  messages: changes({ messages: [userMessage('two')] }),
  events: changes({ events: [event(THREAD, 2)] }),
  ledger: changes({ ledger: [intent('c2')] }),
  approvals: changes({ approvals: [approval(THREAD, 'a1', 'denied'), approval(THREAD, 'a2')] }),
  memory: changes({ memory: { p: { n: 2 }, q: {} } }),
  artifacts: changes({ artifacts: [artifact('o1', 'two'), artifact('o2', 'two')] }),
};

const ALL_KINDS: ThreadChanges = Object.assign(
  {},
  ...Object.entries(KINDS).map(([kind, some]) => ({ [kind]: some[kind as keyof ThreadChanges] })),
);

export const commitCases: readonly StoreCase[] = [
  {
    name: 'commit: everything it holds is read back, and the version grows by one',
    check: async ({ store }) => {
      await firstCommit(store);
      same(await store.load(THREAD), {
        threadId: THREAD,
        version: 1,
        state: { step: 1 },
        messageCount: 1,
        lastSeq: 1,
        memory: { p: { n: 1 } },
      });
      same(await store.readMessages(THREAD), FIRST.messages);
      same(await store.readEvents(THREAD), FIRST.events);
      same(await store.readLedger(THREAD, IDS.callIds), FIRST.ledger);
      same(await store.pendingApprovals(), FIRST.approvals);
    },
  },
  {
    name: 'commit: an empty one counts as a version and keeps all but the state',
    check: async ({ store }) => {
      const token = await firstCommit(store);
      await store.commit(THREAD, token, 1, changes({ state: { step: 2 } }));
      const thread = await store.load(THREAD);
      assert.equal(thread?.version, 2);
      same(thread?.state, { step: 2 });
      same(thread?.memory, { p: { n: 1 } });
      same(await store.readMessages(THREAD), FIRST.messages);
      same(await store.pendingApprovals(), FIRST.approvals);
    },
  },
  ...Object.entries({ ...KINDS, 'everything at once': ALL_KINDS }).map(
    ([kind, lost]): StoreCase => ({
      name: `commit: one with another version writes nothing (${kind})`,
      check: async ({ store }) => {
        const token = await firstCommit(store);
        const before = await everything(store, THREAD, IDS);
        for (const version of [0, 2]) {
          await refused('thread-conflict', () => store.commit(THREAD, token, version, lost));
        }
        same(await everything(store, THREAD, IDS), before);
        await store.commit(THREAD, token, 1, lost);
        assert.equal((await store.load(THREAD))?.version, 2);
      },
    }),
  ),
  {
    name: 'commit: one with a lost claim writes nothing',
    check: async ({ store }) => {
      const token = await firstCommit(store);
      await store.release(THREAD, token);
      const before = await everything(store, THREAD, IDS);
      await refused('thread-conflict', () => store.commit(THREAD, token, 1, ALL_KINDS));
      same(await everything(store, THREAD, IDS), before);
    },
  },
  {
    name: 'commit: the first one of a thread is refused as a whole too',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await refused('thread-conflict', () => store.commit(THREAD, token, 1, FIRST));
      const mismatch = changes({ ...FIRST, ledger: [intent('c1', 'x'), intent('c1', 'y')] });
      await refused('ledger-mismatch', () => store.commit(THREAD, token, 0, mismatch));
      assert.equal(await store.load(THREAD), undefined);
      same(await store.listThreads(), []);
      same(await store.readMessages(THREAD), []);
      same(await store.pendingApprovals(), []);
    },
  },
  {
    name: 'commit: an event number that is not new refuses all of it',
    check: async ({ store }) => {
      const token = await firstCommit(store);
      const before = await everything(store, THREAD, IDS);
      for (const seqs of [[1], [0], [2, 2], [3, 2]]) {
        const events = seqs.map((seq) => event(THREAD, seq));
        const bad = changes({ ...ALL_KINDS, events });
        await refused('thread-conflict', () => store.commit(THREAD, token, 1, bad));
      }
      same(await everything(store, THREAD, IDS), before);
    },
  },
  {
    name: 'commit: a call known with another input refuses all of it',
    check: async ({ store }) => {
      const token = await firstCommit(store);
      const before = await everything(store, THREAD, IDS);
      const bad = changes({ ...ALL_KINDS, ledger: [intent('c2'), intent('c1', 'other input')] });
      await refused('ledger-mismatch', () => store.commit(THREAD, token, 1, bad));
      same(await everything(store, THREAD, IDS), before);
    },
  },
  {
    name: 'commit: an approval of another thread is not overwritten, and all of it is refused',
    check: async ({ store }) => {
      const token = await firstCommit(store);
      const other = await claimed(store, 'other');
      await store.commit('other', other, 0, changes({ approvals: [approval('other', 'theirs')] }));
      const before = await everything(store, THREAD, IDS);
      const stolen = approval(THREAD, 'theirs', 'approved');
      const bad = changes({ ...ALL_KINDS, approvals: [approval(THREAD, 'a2'), stolen] });
      await refused('thread-conflict', () => store.commit(THREAD, token, 1, bad));
      same(await everything(store, THREAD, IDS), before);
      same(await store.findApproval('theirs'), approval('other', 'theirs'));
    },
  },
  {
    name: 'commit: of two with one version, one wins',
    check: async ({ store }) => {
      const token = await firstCommit(store);
      const attempts = ['x', 'y'].map(async (text) =>
        store.commit(THREAD, token, 1, changes({ messages: [userMessage(text)] })),
      );
      const results = await Promise.allSettled(attempts);
      assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal((await store.readMessages(THREAD)).length, 2);
      assert.equal((await store.load(THREAD))?.version, 2);
    },
  },
];

async function firstCommit(store: ThreadStore): Promise<number> {
  const token = await claimed(store, THREAD);
  await store.commit(THREAD, token, 0, FIRST);
  return token;
}
