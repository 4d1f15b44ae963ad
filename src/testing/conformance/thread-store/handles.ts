import assert from 'node:assert/strict';
import { ThreadBusyError } from '../../../errors/store-error.ts';
import type { ThreadStore } from '../../../stores/port.ts';
import { claimed, refused, type StoreCase } from './case.ts';
import {
  approval,
  artifact,
  changes,
  event,
  everything,
  HARD_VALUES,
  intent,
  outcome,
  same,
  toolResult,
  userMessage,
} from './samples.ts';

const THREAD = 'thread';
const IDS = { callIds: ['c1', 'c2'], approvalIds: ['a1', 'a2'], artifactIds: ['o1'] };

const FULL = changes({
  state: HARD_VALUES,
  messages: [userMessage(''), userMessage('two')],
  events: [event(THREAD, 1), event(THREAD, 2)],
  ledger: [intent('c1'), outcome('c2', '')],
  approvals: [approval(THREAD, 'a1'), approval(THREAD, 'a2', 'denied')],
  memory: { policy: HARD_VALUES },
  artifacts: [artifact('o1', 'one')],
});

/** For stores that outlive a handle. */
export const handleCases: readonly StoreCase[] = [
  {
    name: 'reopen: a thread is the same after the store was closed',
    check: async ({ store, another }) => {
      await store.commit(THREAD, await claimed(store, THREAD), 0, FULL);
      const before = await everything(store, THREAD, IDS);
      await store.close?.();
      const again = await another();
      same(await everything(again, THREAD, IDS), before);
      same((await again.load(THREAD))?.state, HARD_VALUES);
    },
  },
  {
    name: 'reopen: claims and tokens go on where they were',
    check: async ({ store, pass, another }) => {
      const token = await claimed(store, THREAD, 'a');
      await store.close?.();
      const again = await another();
      await refused('thread-busy', () => claimed(again, THREAD, 'b'));
      await again.commit(THREAD, token, 0, changes());
      pass(60_000);
      assert.ok((await claimed(again, THREAD, 'b')) > token);
      await refused('thread-conflict', () => again.commit(THREAD, token, 1, changes()));
    },
  },
  {
    name: 'closed: a closed store answers nothing, and may be closed again',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      await store.close?.();
      await store.close?.();
      await refused('store-closed', () => store.load(THREAD));
      await refused('store-closed', () => store.readMessages(THREAD));
      await refused('store-closed', () => store.commit(THREAD, token, 0, FULL));
    },
  },
  {
    name: 'handles: one sees what another committed, at once',
    check: async ({ store, another }) => {
      const other = await another();
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, FULL);
      same(await everything(other, THREAD, IDS), await everything(store, THREAD, IDS));
      await other.recordLate(THREAD, 'c1', toolResult('late'));
      const [entry] = await store.readLedger(THREAD, ['c1']);
      assert.equal(entry?.late, true);
    },
  },
  {
    name: 'handles: what one deleted or rewrote, the other finds so at once, and another process later',
    check: async ({ store, another }) => {
      const other = await another();
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, FULL);
      const found = await other.load(THREAD);
      await store.rewriteThread(THREAD, token, 1, {
        state: (state) => state,
        message: () => userMessage('anew'),
        event: (each) => each,
        result: (result) => result,
        approval: (each) => each,
        artifact: (each) => each,
        memory: (memory) => memory,
      });
      same(await other.readMessages(THREAD), [userMessage('anew'), userMessage('anew')]);
      same(await other.load(THREAD), { ...found, version: 2 });
      await other.deleteThread(THREAD, token);
      assert.equal(await store.load(THREAD), undefined);
      same(await store.readMessages(THREAD), []);
      assert.equal(await (await another()).findApproval('a1'), undefined);
    },
  },
  {
    name: 'handles: a claim of one holds for the other',
    check: async ({ store, another }) => {
      const other = await another();
      const token = await claimed(store, THREAD, 'a');
      await refused('thread-busy', () => claimed(other, THREAD, 'b'));
      await store.release(THREAD, token);
      const next = await claimed(other, THREAD, 'b');
      await refused('thread-conflict', () => store.commit(THREAD, token, 0, FULL));
      await other.commit(THREAD, next, 0, FULL);
    },
  },
  {
    name: 'handles: of claims at one moment, one wins',
    check: async ({ store, another }) => {
      const handles = [store, await another(), await another()];
      const attempts = handles.map(async (handle, index) =>
        handle.claim(THREAD, { holder: `holder ${index}`, ttlMs: 1_000 }),
      );
      const results = await Promise.allSettled(attempts);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    },
  },
  {
    name: 'handles: of commits at one version, one wins and the other writes nothing',
    check: async ({ store, another }) => {
      const handles = [store, await another()];
      const token = await claimed(store, THREAD);
      for (let version = 0; version < 10; version += 1) {
        const attempts = handles.map(async (handle, index) => {
          const messages = [userMessage(`${version} by ${index}`)];
          const events = [event(THREAD, version + 1)];
          return handle.commit(THREAD, token, version, changes({ messages, events }));
        });
        const results = await Promise.allSettled(attempts);
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      }
      for (const handle of handles) {
        const thread = await handle.load(THREAD);
        same([thread?.version, thread?.messageCount, thread?.lastSeq], [10, 10, 10]);
        assert.equal((await handle.readMessages(THREAD)).length, 10);
      }
    },
  },
  {
    name: 'handles: threads written at one moment do not mix',
    check: async ({ store, another }) => {
      const handles = [store, await another()];
      const ids = Array.from({ length: 10 }, (_, index) => `thread-${index}`);
      const write = async (id: string, index: number): Promise<void> => {
        const handle = handles[index % handles.length] ?? store;
        const token = await claimed(handle, id);
        for (let version = 0; version < 3; version += 1) {
          const messages = [userMessage(`${id} at ${version}`)];
          const some = { state: { id, version }, messages, memory: { policy: { id } } };
          await handle.commit(id, token, version, changes(some));
        }
      };
      await Promise.all(ids.map(write));
      for (const id of ids) {
        const thread = await store.load(id);
        same([thread?.version, thread?.state], [3, { id, version: 2 }]);
        same(thread?.memory, { policy: { id } });
        same(
          await store.readMessages(id),
          [0, 1, 2].map((version) => userMessage(`${id} at ${version}`)),
        );
      }
    },
  },
  {
    name: 'handles: what is read, changed and written under a claim is never lost',
    check: async ({ store, another }) => {
      const handles = [store, await another(), await another()];
      const count = async (handle: ThreadStore, index: number): Promise<void> => {
        for (let done = 0; done < 4; ) {
          const lease = { holder: `holder ${index}`, ttlMs: 60_000 };
          const token = await claimOrNot(handle, lease);
          if (token === undefined) continue;
          const thread = await handle.load(THREAD);
          const state = { count: Number(thread?.state['count'] ?? 0) + 1 };
          await handle.commit(THREAD, token, thread?.version ?? 0, changes({ state }));
          await handle.release(THREAD, token);
          done += 1;
        }
      };
      await Promise.all(handles.map(count));
      same((await store.load(THREAD))?.state, { count: 12 });
    },
  },
  {
    name: 'handles: of a late outcome and one that is committed at one moment, the first stays',
    check: async ({ store, another }) => {
      const other = await another();
      const token = await claimed(store, THREAD);
      for (let round = 0; round < 10; round += 1) {
        const callId = `c${round}`;
        await store.commit(THREAD, token, 2 * round, changes({ ledger: [intent(callId)] }));
        const given = changes({ ledger: [outcome(callId, 'committed')] });
        const writes = [
          async () => store.commit(THREAD, token, 2 * round + 1, given),
          async () => other.recordLate(THREAD, callId, toolResult('late')),
        ];
        await Promise.all((round % 2 === 0 ? writes : writes.reverse()).map((write) => write()));
        const [first] = await store.readLedger(THREAD, [callId]);
        const isLate = first?.late === true;
        same(first?.result, toolResult(isLate ? 'late' : 'committed'));
        await other.recordLate(THREAD, callId, toolResult('later'));
        same(await other.readLedger(THREAD, [callId]), [first]);
      }
    },
  },
];

/** A busy thread is waited for by asking again. */
async function claimOrNot(
  store: ThreadStore,
  lease: { readonly holder: string; readonly ttlMs: number },
): Promise<number | undefined> {
  try {
    return (await store.claim(THREAD, lease)).token;
  } catch (error) {
    if (!ThreadBusyError.isInstance(error)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 2));
    return undefined;
  }
}
