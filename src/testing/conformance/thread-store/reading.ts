import assert from 'node:assert/strict';
import { deepFreeze } from '../../../internal/deep-freeze.ts';
import { assertFrozen } from './assert-frozen.ts';
import { claimed, refused, type StoreCase } from './case.ts';
import {
  approval,
  BIG_TEXT,
  changes,
  event,
  HARD_VALUES,
  intent,
  ODD_THREAD_IDS,
  outcome,
  same,
  userMessage,
} from './samples.ts';

const THREAD = 'thread';

export const readingCases: readonly StoreCase[] = [
  {
    name: 'read: an unknown thread has nothing',
    check: async ({ store }) => {
      assert.equal(await store.load('nobody'), undefined);
      same(await store.readMessages('nobody'), []);
      same(await store.readEvents('nobody'), []);
      same(await store.readLedger('nobody', ['c1']), []);
      same(await store.pendingApprovals({ threadId: 'nobody' }), []);
      assert.equal(await store.findApproval('nothing'), undefined);
    },
  },
  {
    name: 'messages: they come in the order of their commits, by pages from a position',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      const all = Array.from({ length: 25 }, (_, index) => userMessage(`message ${index + 1}`));
      for (let version = 0; version < 5; version += 1) {
        const messages = all.slice(version * 5, version * 5 + 5);
        await store.commit(THREAD, token, version, changes({ messages }));
      }
      assert.equal((await store.load(THREAD))?.messageCount, 25);
      same(await store.readMessages(THREAD), all);
      same(await store.readMessages(THREAD, { after: 0, limit: 3 }), all.slice(0, 3));
      same(await store.readMessages(THREAD, { after: 9, limit: 3 }), all.slice(9, 12));
      same(await store.readMessages(THREAD, { after: 20 }), all.slice(20));
      same(await store.readMessages(THREAD, { after: 25 }), []);
      same(await store.readMessages(THREAD, { limit: 0 }), []);
    },
  },
  {
    name: 'events: they come by number, which may have gaps, by pages after one',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      const all = [1, 2, 5, 9, 10, 100].map((seq) => event(THREAD, seq));
      await store.commit(THREAD, token, 0, changes({ events: all.slice(0, 3) }));
      await store.commit(THREAD, token, 1, changes({ events: all.slice(3) }));
      assert.equal((await store.load(THREAD))?.lastSeq, 100);
      same(await store.readEvents(THREAD), all);
      same(await store.readEvents(THREAD, { after: 2, limit: 2 }), all.slice(2, 4));
      same(await store.readEvents(THREAD, { after: 6 }), all.slice(3));
      same(await store.readEvents(THREAD, { after: 100 }), []);
    },
  },
  {
    name: 'read: what was read does not change with a later commit, nor with its reader',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, changes({ messages: [userMessage('one')] }));
      const before = await store.readMessages(THREAD);
      const events = await store.readEvents(THREAD);
      const later = changes({ messages: [userMessage('two')], events: [event(THREAD, 1)] });
      await store.commit(THREAD, token, 1, later);
      same(before, [userMessage('one')]);
      same(events, []);
      const [message] = before;
      assert.ok(Object.isFrozen(message) && Object.isFrozen(message?.content));
      assert.ok(Object.isFrozen((await store.load(THREAD))?.state));
    },
  },
  {
    name: 'read: a limit that is no whole number from 0 is refused',
    check: async ({ store }) => {
      for (const limit of [-1, 0.5, Number.NaN]) {
        await refused('invalid-option', () => store.readMessages(THREAD, { limit }));
        await refused('invalid-option', () => store.readEvents(THREAD, { limit }));
        await refused('invalid-option', () => store.listThreads({ limit }));
        await refused('invalid-option', () => store.pendingApprovals({ limit }));
      }
    },
  },
  {
    name: 'threads: they are listed once each, by pages',
    check: async ({ store }) => {
      const ids = Array.from({ length: 12 }, (_, index) => `thread-${index}`);
      for (const id of ids) {
        const token = await claimed(store, id);
        await store.commit(id, token, 0, changes());
        if (id === 'thread-3') await store.commit(id, token, 1, changes());
      }
      const seen: { readonly threadId: string; readonly version: number }[] = [];
      for (let after: string | undefined; ; after = seen.at(-1)?.threadId) {
        const page = await store.listThreads({ limit: 5, ...(after !== undefined && { after }) });
        assert.ok(page.length <= 5);
        seen.push(...page);
        if (page.length < 5) break;
      }
      same(seen.map(({ threadId }) => threadId).sort(), [...ids].sort());
      assert.equal(seen.find(({ threadId }) => threadId === 'thread-3')?.version, 2);
      assert.equal((await store.listThreads()).length, 12);
    },
  },
  {
    name: 'threads: those whose ids begin alike follow each other, from what they begin with',
    check: async ({ store }) => {
      const alike = [
        't/1.1.0',
        't/1.1.0/1.2.0',
        't/10.1.0',
        't/2.1.0',
        't/Z',
        't/a',
        't/é',
        't/🙂',
      ];
      for (const id of ['t', 'T/1', 't!', 't-1', 't0', 'u', 'ü', ...alike])
        await store.commit(id, await claimed(store, id), 0, changes());
      const page = await store.listThreads({ after: 't/', limit: alike.length });
      same(page.map(({ threadId }) => threadId).sort(), [...alike].sort());
    },
  },
  {
    name: 'threads: none sees what belongs to another',
    check: async ({ store }) => {
      for (const id of ['a', 'b']) {
        const token = await claimed(store, id);
        const some = changes({
          state: { id },
          messages: [userMessage(id)],
          events: [event(id, 1)],
          ledger: [outcome('t1.1.0', `result of ${id}`, `digest of ${id}`)],
          approvals: [approval(id, `approval of ${id}`)],
          memory: { policy: { id } },
        });
        await store.commit(id, token, 0, some);
      }
      for (const id of ['a', 'b']) {
        const thread = await store.load(id);
        same([thread?.state, thread?.memory], [{ id }, { policy: { id } }]);
        same(await store.readMessages(id), [userMessage(id)]);
        same(await store.readEvents(id), [event(id, 1)]);
        const ledger = [outcome('t1.1.0', `result of ${id}`, `digest of ${id}`)];
        same(await store.readLedger(id, ['t1.1.0']), ledger);
        same(await store.pendingApprovals({ threadId: id }), [approval(id, `approval of ${id}`)]);
      }
    },
  },
  {
    name: 'threads: ids with odd characters are kept apart',
    check: async ({ store }) => {
      for (const id of ODD_THREAD_IDS) {
        const token = await claimed(store, id);
        await store.commit(id, token, 0, changes({ state: { id }, memory: { [id]: { id } } }));
      }
      for (const threadId of ODD_THREAD_IDS) {
        const thread = await store.load(threadId);
        same([thread?.threadId, thread?.state], [threadId, { id: threadId }]);
        same(Object.entries(thread?.memory ?? {}), [[threadId, { id: threadId }]]);
      }
      const listed = await store.listThreads();
      same(listed.map(({ threadId }) => threadId).sort(), [...ODD_THREAD_IDS].sort());
    },
  },
  {
    name: 'threads: an id that a store could take for another one is refused',
    check: async ({ store }) => {
      await claimed(store, 'a');
      await refused('invalid-input', () => claimed(store, 'a\u0000b'));
      await refused('invalid-input', () => claimed(store, 'a\uD800'));
      assert.equal(await store.findApproval('a\u0000b'), undefined);
    },
  },
  {
    name: 'values: what is hard to store is read back as it was',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      const part = { type: 'text' as const, text: BIG_TEXT, providerMetadata: HARD_VALUES };
      const some = changes({
        state: HARD_VALUES,
        messages: [{ role: 'user', content: [part] }],
        ledger: [
          { ...intent('c1'), status: 'finished', result: resultWith(false) },
          { ...intent('c2'), status: 'finished', result: resultWith(null) },
        ],
        approvals: [{ ...approval(THREAD, 'a1'), input: HARD_VALUES }],
        memory: { policy: HARD_VALUES },
      });
      await store.commit(THREAD, token, 0, some);
      const thread = await store.load(THREAD);
      same([thread?.state, thread?.memory], [HARD_VALUES, { policy: HARD_VALUES }]);
      assert.ok(Object.hasOwn(thread?.state ?? {}, '__proto__'));
      same(await store.readMessages(THREAD), some.messages);
      same(await store.readLedger(THREAD, ['c1', 'c2']), some.ledger);
      same(await store.findApproval('a1'), some.approvals[0]);
    },
  },
  {
    name: 'values: what is read cannot be changed by who reads it',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      const frozen = deepFreeze({
        messages: [userMessage('hello')],
        events: [event(THREAD, 1)],
        ledger: [{ ...intent('c1'), status: 'finished', result: resultWith(null) }],
        approvals: [approval(THREAD, 'a1')],
      } as const);
      await store.commit(THREAD, token, 0, changes(frozen));
      const thread = await store.load(THREAD);
      const read = [
        thread?.state,
        thread?.memory,
        ...(await store.readMessages(THREAD)),
        ...(await store.readEvents(THREAD)),
        ...(await store.readLedger(THREAD, ['c1'])),
        ...(await store.pendingApprovals({ threadId: THREAD })),
        await store.findApproval('a1'),
      ];
      assert.equal(read.length, 7);
      for (const value of read) assertFrozen(value);
    },
  },
];

function resultWith(output: null | false): {
  readonly outcome: 'succeeded';
  readonly isError: false;
  readonly output: null | false;
} {
  return { outcome: 'succeeded', isError: false, output };
}
