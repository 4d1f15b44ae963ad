import assert from 'node:assert/strict';
import { claimed, type StoreCase } from './case.ts';
import { approval, changes, intent, outcome, same, toolResult } from './samples.ts';

const THREAD = 'thread';

const ledgerCases: readonly StoreCase[] = [
  {
    name: 'ledger: an intent becomes an outcome, and only asked-for entries are read',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, changes({ ledger: [intent('c1'), intent('c2')] }));
      await store.commit(THREAD, token, 1, changes({ ledger: [outcome('c1', 'done')] }));
      same(await store.readLedger(THREAD, ['c1']), [outcome('c1', 'done')]);
      same(await store.readLedger(THREAD, ['c2', 'c2', 'c9']), [intent('c2')]);
      same(await store.readLedger(THREAD, []), []);
    },
  },
  {
    name: 'ledger: an outcome is never taken back nor replaced',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, changes({ ledger: [outcome('c1', 'first')] }));
      await store.commit(THREAD, token, 1, changes({ ledger: [intent('c1')] }));
      await store.commit(THREAD, token, 2, changes({ ledger: [outcome('c1', 'second')] }));
      same(await store.readLedger(THREAD, ['c1']), [outcome('c1', 'first')]);
    },
  },
  {
    name: 'ledger: a late outcome fills an intent, without a claim, and is marked',
    check: async ({ store, pass }) => {
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, changes({ ledger: [intent('c1')] }));
      await store.release(THREAD, token);
      pass(7);
      await store.recordLate(THREAD, 'c1', toolResult('late'));
      same(await store.readLedger(THREAD, ['c1']), [
        { ...outcome('c1', 'late'), late: true, at: 1_700_000_000_007 },
      ]);
      assert.equal((await store.load(THREAD))?.version, 1, 'it is no commit');
    },
  },
  {
    name: 'ledger: a late outcome replaces none, and makes no entry',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, changes({ ledger: [outcome('c1', 'first')] }));
      await store.recordLate(THREAD, 'c1', toolResult('late'));
      await store.recordLate(THREAD, 'c2', toolResult('late'));
      await store.recordLate('nobody', 'c1', toolResult('late'));
      same(await store.readLedger(THREAD, ['c1', 'c2']), [outcome('c1', 'first')]);
      same(await store.readLedger('nobody', ['c1']), []);
      assert.equal(await store.load('nobody'), undefined);
    },
  },
  {
    name: 'ledger: a commit after a late outcome keeps the late one',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, changes({ ledger: [intent('c1')] }));
      await store.recordLate(THREAD, 'c1', toolResult('late'));
      await store.commit(THREAD, token, 1, changes({ ledger: [outcome('c1', 'given up')] }));
      const [entry] = await store.readLedger(THREAD, ['c1']);
      same([entry?.result, entry?.late], [toolResult('late'), true]);
    },
  },
];

const approvalCases: readonly StoreCase[] = [
  {
    name: 'approvals: open ones are listed by thread and over all, by pages',
    check: async ({ store }) => {
      const mine = ['m1', 'm2', 'm3', 'm4', 'm5'].map((id) => approval('mine', id));
      const yours = ['a1', 'z1'].map((id) => approval('yours', id));
      await store.commit('mine', await claimed(store, 'mine'), 0, changes({ approvals: mine }));
      await store.commit('yours', await claimed(store, 'yours'), 0, changes({ approvals: yours }));
      const ids = async (options: Parameters<typeof store.pendingApprovals>[0]) =>
        (await store.pendingApprovals(options)).map(({ approvalId }) => approvalId);
      same(await ids({}), ['a1', 'm1', 'm2', 'm3', 'm4', 'm5', 'z1']);
      same(await ids({ threadId: 'yours' }), ['a1', 'z1']);
      same(await ids({ limit: 2 }), ['a1', 'm1']);
      same(await ids({ after: 'm1', limit: 3 }), ['m2', 'm3', 'm4']);
      same(await ids({ threadId: 'mine', after: 'm3', limit: 9 }), ['m4', 'm5']);
      same(await ids({ after: 'z1' }), []);
    },
  },
  {
    name: 'approvals: one that is not open any more is found, and listed no more',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      const statuses = ['approved', 'denied', 'expired', 'superseded'] as const;
      const open = [...statuses, 'open'].map((id) => approval(THREAD, id));
      await store.commit(THREAD, token, 0, changes({ approvals: open }));
      const settled = statuses.map((status) => approval(THREAD, status, status));
      await store.commit(THREAD, token, 1, changes({ approvals: settled }));
      for (const status of statuses) {
        same(await store.findApproval(status), approval(THREAD, status, status));
      }
      same(await store.findApproval('open'), approval(THREAD, 'open'));
      same(await store.pendingApprovals(), [approval(THREAD, 'open')]);
      same(await store.pendingApprovals({ threadId: THREAD }), [approval(THREAD, 'open')]);
    },
  },
];

const memoryCases: readonly StoreCase[] = [
  {
    name: 'memory: each policy has its own, and keeps it when a commit leaves it out',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      const first = changes({ memory: { a: { n: 1, gone: true }, b: { n: 1 } } });
      await store.commit(THREAD, token, 0, first);
      await store.commit(THREAD, token, 1, changes({ memory: { a: { n: 2 }, c: {} } }));
      await store.commit(THREAD, token, 2, changes());
      same((await store.load(THREAD))?.memory, { a: { n: 2 }, b: { n: 1 }, c: {} });
    },
  },
];

export const recordCases: readonly StoreCase[] = [...ledgerCases, ...approvalCases, ...memoryCases];
