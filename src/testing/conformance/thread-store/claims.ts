import assert from 'node:assert/strict';
import { claimed, refused, type StoreCase } from './case.ts';
import { changes, same, userMessage } from './samples.ts';

const THREAD = 'thread';

export const claimCases: readonly StoreCase[] = [
  {
    name: 'claim: a thread that was never committed can be claimed and is still unknown',
    check: async ({ store }) => {
      await claimed(store, THREAD);
      assert.equal(await store.load(THREAD), undefined);
      same(await store.listThreads(), []);
    },
  },
  {
    name: 'claim: another holder is refused while a claim runs',
    check: async ({ store, pass }) => {
      const { expiresAt } = await store.claim(THREAD, { holder: 'a', ttlMs: 1_000 });
      assert.equal(expiresAt, 1_700_000_001_000);
      pass(999);
      const busy = await refused('thread-busy', () =>
        store.claim(THREAD, { holder: 'b', ttlMs: 1_000 }),
      );
      // A store need not say until when, and must not say anything else.
      assert.ok([undefined, expiresAt].includes(Object(busy).heldUntil), 'a wrong `heldUntil`');
      await store.claim('other', { holder: 'b', ttlMs: 1_000 });
    },
  },
  {
    name: 'claim: one that ran out is taken over, and its token is refused from then on',
    check: async ({ store, pass }) => {
      const old = await store.claim(THREAD, { holder: 'a', ttlMs: 1_000 });
      pass(1_000);
      const next = await store.claim(THREAD, { holder: 'b', ttlMs: 1_000 });
      assert.ok(next.token > old.token);
      await refused('thread-conflict', () => store.commit(THREAD, old.token, 0, changes()));
      await refused('thread-conflict', () => store.renew(THREAD, old.token, 1_000));
      await store.release(THREAD, old.token);
      await refused('thread-busy', () => store.claim(THREAD, { holder: 'c', ttlMs: 1_000 }));
      await store.commit(THREAD, next.token, 0, changes());
    },
  },
  {
    name: 'claim: the same holder may claim again, and only its newest token writes',
    check: async ({ store }) => {
      const first = await claimed(store, THREAD, 'a');
      const second = await claimed(store, THREAD, 'a');
      assert.ok(second > first);
      await refused('thread-conflict', () => store.commit(THREAD, first, 0, changes()));
      await store.commit(THREAD, second, 0, changes());
    },
  },
  {
    name: 'claim: one that ran out still writes as long as nobody took the thread',
    check: async ({ store, pass }) => {
      const { token } = await store.claim(THREAD, { holder: 'a', ttlMs: 1_000 });
      pass(5_000);
      await store.commit(THREAD, token, 0, changes({ messages: [userMessage('late')] }));
      same(await store.readMessages(THREAD), [userMessage('late')]);
    },
  },
  {
    name: 'renew: it moves the end of a claim, also of one that ran out and was not taken',
    check: async ({ store, pass }) => {
      const { token } = await store.claim(THREAD, { holder: 'a', ttlMs: 1_000 });
      pass(900);
      await store.renew(THREAD, token, 1_000);
      pass(900);
      await refused('thread-busy', () => store.claim(THREAD, { holder: 'b', ttlMs: 1_000 }));
      pass(900);
      await store.renew(THREAD, token, 1_000);
      await refused('thread-busy', () => store.claim(THREAD, { holder: 'b', ttlMs: 1_000 }));
    },
  },
  {
    name: 'release: the thread is free at once, and the old token is refused',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD, 'a');
      await store.release(THREAD, token);
      await refused('thread-conflict', () => store.commit(THREAD, token, 0, changes()));
      await refused('thread-conflict', () => store.renew(THREAD, token, 1_000));
      const next = await claimed(store, THREAD, 'b');
      assert.ok(next > token, 'a token never comes twice');
    },
  },
  {
    name: 'release: nothing happens for a claim that is not held',
    check: async ({ store }) => {
      await store.release(THREAD, 1);
      const token = await claimed(store, THREAD, 'a');
      await store.release(THREAD, token);
      await store.release(THREAD, token);
      const next = await claimed(store, THREAD, 'b');
      await store.release(THREAD, token);
      await store.commit(THREAD, next, 0, changes());
    },
  },
  {
    name: 'claim: a commit without one, or with a token to come, is refused',
    check: async ({ store }) => {
      await refused('thread-conflict', () => store.commit(THREAD, 1, 0, changes()));
      const token = await claimed(store, THREAD);
      await refused('thread-conflict', () => store.commit(THREAD, token + 1, 0, changes()));
      await refused('thread-conflict', () => store.renew(THREAD, token + 1, 1_000));
      assert.equal(await store.load(THREAD), undefined);
    },
  },
  {
    name: 'claim: a length that is no positive number is refused',
    check: async ({ store }) => {
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await refused('invalid-option', () => store.claim(THREAD, { holder: 'a', ttlMs }));
      }
      await claimed(store, THREAD, 'b');
    },
  },
];
