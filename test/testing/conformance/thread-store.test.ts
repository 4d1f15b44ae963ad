import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/events/event.ts';
import type { Approval } from '../../../src/protocol/approval.ts';
import { memoryStore } from '../../../src/stores/memory.ts';
import type { ThreadStore } from '../../../src/stores/port.ts';
import { changes, outcome } from '../../../src/testing/conformance/thread-store/samples.ts';
import { threadStoreConformance } from '../../../src/testing/conformance/thread-store.ts';

type Break = (whole: ThreadStore) => Partial<ThreadStore>;

/** Stores with one fault each, by a case that finds it. */
const FAULTS: readonly (readonly [fault: string, foundBy: string, broken: Break])[] = [
  [
    'a commit that does not compare versions',
    'commit: one with another version writes nothing (state)',
    (whole) => ({
      commit: async (...[threadId, token, , some]) =>
        whole.commit(threadId, token, (await whole.load(threadId))?.version ?? 0, some),
    }),
  ],
  [
    'a commit that drops a refused ledger entry and goes on',
    'commit: a call known with another input refuses all of it',
    (whole) => ({
      commit: async (...[threadId, token, version, some]) => {
        try {
          await whole.commit(threadId, token, version, some);
        } catch (error) {
          await whole.commit(threadId, token, version, { ...some, ledger: [] });
          throw error;
        }
      },
    }),
  ],
  [
    'claims that anybody can take',
    'claim: another holder is refused while a claim runs',
    (whole) => ({
      claim: (threadId, { ttlMs }) => whole.claim(threadId, { holder: 'everyone', ttlMs }),
    }),
  ],
  [
    'a release that does nothing',
    'release: the thread is free at once, and the old token is refused',
    () => ({ release: () => undefined }),
  ],
  [
    'a renewal that does nothing',
    'renew: it moves the end of a claim, also of one that ran out and was not taken',
    () => ({ renew: () => undefined }),
  ],
  [
    'pages that ignore where they start',
    'messages: they come in the order of their commits, by pages from a position',
    (whole) => ({ readMessages: (threadId) => whole.readMessages(threadId) }),
  ],
  [
    'events after a number that include it',
    'events: they come by number, which may have gaps, by pages after one',
    (whole) => ({
      readEvents: (threadId, options) =>
        whole.readEvents(threadId, { ...options, after: (options?.after ?? 0) - 1 }),
    }),
  ],
  [
    'false values that are lost',
    'values: what is hard to store is read back as it was',
    (whole) => ({
      load: async (threadId) => {
        const thread = await whole.load(threadId);
        const kept = Object.entries(thread?.state ?? {}).filter(([, value]) => Boolean(value));
        return thread && { ...thread, state: Object.freeze(Object.fromEntries(kept)) };
      },
    }),
  ],
  [
    'one ledger for all threads',
    'threads: none sees what belongs to another',
    (whole) => ({ readLedger: (_threadId, callIds) => whole.readLedger('b', callIds) }),
  ],
  [
    'open approvals of all threads for each',
    'approvals: open ones are listed by thread and over all, by pages',
    (whole) => ({
      pendingApprovals: ({ threadId: _all, ...options } = {}) => whole.pendingApprovals(options),
    }),
  ],
  [
    'only open approvals that are found',
    'approvals: one that is not open any more is found, and listed no more',
    (whole) => ({
      findApproval: async (id) =>
        (await whole.pendingApprovals()).find(({ approvalId }) => approvalId === id),
    }),
  ],
  [
    'a late outcome that replaces one',
    'ledger: a late outcome replaces none, and makes no entry',
    (whole) => ({
      readLedger: async (threadId, callIds) =>
        (await whole.readLedger(threadId, callIds)).map(({ callId }) => outcome(callId, 'late')),
    }),
  ],
  [
    'artifacts that are cut at a NUL',
    'artifacts: a text is read back character by character, also an empty one and one of a megabyte',
    (whole) => ({
      readArtifact: async (threadId, id) => {
        const found = await whole.readArtifact(threadId, id);
        return found && Object.freeze({ ...found, text: found.text.split('\u0000')[0] ?? '' });
      },
    }),
  ],
  [
    'artifacts of one thread for all',
    'artifacts: each belongs to its thread',
    (whole) => ({ readArtifact: (_threadId, id) => whole.readArtifact('b', id) }),
  ],
  [
    'an artifact that a later commit does not put anew',
    'artifacts: a later commit puts one anew and leaves the others, and reading needs no claim',
    (whole) => ({
      commit: (...[threadId, token, version, some]) =>
        whole.commit(threadId, token, version, version === 0 ? some : { ...some, artifacts: [] }),
    }),
  ],
  [
    'a deletion that leaves approvals',
    'delete: everything of the thread is gone, and no other thread has lost anything',
    (whole) => {
      const open: Approval[] = [];
      return {
        commit: (...args) => {
          open.push(...args[3].approvals);
          return whole.commit(...args);
        },
        findApproval: (id) => open.find(({ approvalId }) => approvalId === id),
      };
    },
  ],
  [
    'a deletion without a claim',
    'delete: without the claim nothing is removed',
    (whole) => ({
      deleteThread: async (threadId) => {
        const { token } = await whole.claim(threadId, { holder: 'holder', ttlMs: 1_000 });
        return whole.deleteThread(threadId, token);
      },
    }),
  ],
  [
    'a deletion that forgets how often a thread was claimed',
    'delete: whoever held the thread before stays refused, and tokens go on',
    (whole) => {
      let inner = whole;
      return {
        ...forwarded(() => inner),
        deleteThread: () => {
          inner = memoryStore();
        },
      };
    },
  ],
  [
    'a rewrite that leaves the version',
    'rewrite: each record is put in its own place, and the version grows by one',
    (whole) => ({
      load: async (threadId) => {
        const thread = await whole.load(threadId);
        return thread && { ...thread, version: 1 };
      },
    }),
  ],
  ...(['state', 'message', 'event', 'result', 'approval', 'artifact', 'memory'] as const).map(
    (kind): (typeof FAULTS)[number] => [
      `a rewrite that leaves out each ${kind}`,
      'rewrite: each record is put in its own place, and the version grows by one',
      (whole) => ({
        rewriteThread: (...[threadId, token, version, rewrite]) =>
          whole.rewriteThread(threadId, token, version, {
            ...rewrite,
            [kind]: <Record>(record: Record) => record,
          }),
      }),
    ],
  ),
  [
    'a rewrite that stops after a page',
    'rewrite: a long thread is rewritten to its last record, once each',
    (whole) => ({
      rewriteThread: (...[threadId, token, version, rewrite]) => {
        let left = 100;
        const event = (each: AgentEvent): AgentEvent => {
          left -= 1;
          return left < 0 ? each : rewrite.event(each);
        };
        return whole.rewriteThread(threadId, token, version, { ...rewrite, event });
      },
    }),
  ],
  [
    'memory that a commit replaces as a whole',
    'memory: each policy has its own, and keeps it when a commit leaves it out',
    () => {
      let last = changes().memory;
      const store = memoryStore();
      return {
        claim: (...args) => store.claim(...args),
        commit: (...args) => {
          last = args[3].memory;
          return store.commit(...args);
        },
        load: async (threadId) => {
          const thread = await store.load(threadId);
          return thread && { ...thread, memory: last };
        },
      };
    },
  ],
];

describe('thread store conformance', () => {
  test.each(FAULTS)('finds %s', async (_fault, foundBy, broken) => {
    const cases = threadStoreConformance(({ now }) => {
      const whole = memoryStore({ now });
      return Object.assign(delegate(whole), broken(whole));
    });
    const found = cases.find(({ name }) => name === foundBy);
    await expect(found?.run()).rejects.toMatchObject({ name: 'AssertionError' });
  });

  test('names every case once', () => {
    const names = threadStoreConformance(() => memoryStore(), {
      reopen: (store) => store,
    }).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

function delegate(store: ThreadStore): ThreadStore {
  return forwarded(() => store);
}

function forwarded(current: () => ThreadStore): ThreadStore {
  return {
    claim: (...args) => current().claim(...args),
    renew: (...args) => current().renew(...args),
    release: (...args) => current().release(...args),
    load: (...args) => current().load(...args),
    commit: (...args) => current().commit(...args),
    readMessages: (...args) => current().readMessages(...args),
    readEvents: (...args) => current().readEvents(...args),
    readLedger: (...args) => current().readLedger(...args),
    listThreads: (...args) => current().listThreads(...args),
    pendingApprovals: (...args) => current().pendingApprovals(...args),
    findApproval: (...args) => current().findApproval(...args),
    readArtifact: (...args) => current().readArtifact(...args),
    recordLate: (...args) => current().recordLate(...args),
    deleteThread: (...args) => current().deleteThread(...args),
    rewriteThread: (...args) => current().rewriteThread(...args),
  };
}
