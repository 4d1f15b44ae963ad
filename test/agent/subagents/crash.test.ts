import {
  type AgentEvent,
  type ModelRequest,
  memoryStore,
  type ThreadStore,
  toolCallsOf,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../../../src/stores/sqlite.ts';
import { dyingStore } from '../../loop/desk.ts';
import { approvalsOf, askFirst, callClerk, callThen, often, STORES, team } from './team.ts';

/** Long enough for every claim of a process that has ended to run out. */
const LATER_MS = 60_000;

const OPEN: { readonly [name: string]: (now: () => number) => ThreadStore } = {
  memory: (now) => memoryStore({ now }),
  SQLite: (now) => sqliteStore({ path: ':memory:', now }),
};

const CHAIN = ['t', 't/1.1.0', 't/1.1.0/1.1.0'];

/** What every thread of the chain must hold in the end, whatever happened on the way. */
async function expectWhole(store: ThreadStore): Promise<void> {
  for (const threadId of CHAIN) {
    const messages = await store.readMessages(threadId);
    const calls = messages.flatMap(toolCallsOf).map(({ callId }) => callId);
    expect(messages.flatMap(toolResultsOf).map(({ callId }) => callId)).toEqual(calls);
    const events = await store.readEvents(threadId);
    const turns = events.map(({ type }) => type).filter((type) => type.startsWith('turn.'));
    expect(turns).toEqual(['turn.started', 'turn.finished']);
  }
  const ids = (await store.listThreads()).map(({ threadId }) => threadId);
  expect(ids).toEqual(CHAIN);
}

async function usages(store: ThreadStore): Promise<readonly unknown[]> {
  const last = async (threadId: string): Promise<AgentEvent | undefined> =>
    (await store.readEvents(threadId)).at(-1);
  const ends = await Promise.all(CHAIN.map(last));
  return ends.map((event) => event?.type === 'turn.finished' && event.usage);
}

describe.each(STORES)(
  'L11: a call has one child thread, whatever ends the process, on %s',
  (name) => {
    // The run has 12 commits; the last leaves nothing to do.
    for (let commits = 1; commits <= 11; commits += 1) {
      test(`L11: after ${commits} commits another process goes on, and pays at most once`, async () => {
        let now = 1_000;
        const disk = (OPEN[name] as (clock: () => number) => ThreadStore)(() => now);
        const log: string[] = [];
        await team({ store: dyingStore(disk, commits), log })
          .desk.run({ threadId: 't', message: 'go' })
          .catch((error: unknown) => error);
        now += LATER_MS;
        const result = await team({ store: disk, log }).desk.resume({ threadId: 't' });
        expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
        expect(log.length).toBeLessThanOrEqual(1);
        await expectWhole(disk);
        const [desk, office, clerk] = await usages(disk);
        // Each of the three called its model twice; what a crash cut off was paid for once more, and is in no record.
        expect(desk).toEqual({ inputTokens: 60, outputTokens: 120 });
        expect(office).toEqual({ inputTokens: 40, outputTokens: 80 });
        expect(clerk).toEqual({ inputTokens: 20, outputTokens: 40 });
      });
    }

    const asking = { clerk: { hooks: [askFirst] } };

    // Eight commits lead to the pause of all three.
    for (let commits = 1; commits <= 7; commits += 1) {
      test(`L11: a process that ends after ${commits} commits on the way to an approval leaves one to be answered`, async () => {
        let now = 1_000;
        const disk = (OPEN[name] as (clock: () => number) => ThreadStore)(() => now);
        const log: string[] = [];
        await team({ ...asking, store: dyingStore(disk, commits), log })
          .desk.run({ threadId: 't', message: 'go' })
          .catch((error: unknown) => error);
        now += LATER_MS;
        const second = team({ ...asking, store: disk, log }).desk;
        if ((await second.pendingApprovals({ threadId: 't' })).length === 0)
          await second.resume({ threadId: 't' });
        const open = await second.pendingApprovals({ threadId: 't' });
        expect(open).toMatchObject([{ threadId: 't/1.1.0/1.1.0' }]);
        const answers = open.map(({ approvalId }) => ({ approvalId, approved: true, by: 'boss' }));
        const result = await second.resume({ threadId: 't', answers });
        expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
        expect(log).toEqual(['pay 5']);
        await expectWhole(disk);
      });
    }

    // Eight commits lead from the answer to the end.
    for (let commits = 0; commits <= 7; commits += 1) {
      test(`L11: a process that ends ${commits} commits after it took the answer does not lose what was done`, async () => {
        let now = 1_000;
        const disk = (OPEN[name] as (clock: () => number) => ThreadStore)(() => now);
        const log: string[] = [];
        const first = team({ ...asking, store: disk, log }).desk;
        const paused = approvalsOf(await first.run({ threadId: 't', message: 'go' }));
        const answers = paused.map(({ approvalId }) => ({
          approvalId,
          approved: true,
          by: 'boss',
        }));
        await team({ ...asking, store: dyingStore(disk, commits), log })
          .desk.resume({ threadId: 't', answers })
          .catch((error: unknown) => error);
        now += LATER_MS;
        const second = team({ ...asking, store: disk, log }).desk;
        const isOpen = (await second.pendingApprovals({ threadId: 't' })).length > 0;
        expect(isOpen).toBe(commits === 0);
        const result = await second.resume({ threadId: 't', ...(isOpen && { answers }) });
        expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
        expect(log.length).toBeLessThanOrEqual(1);
        if (commits === 0 || commits === 1) expect(log).toEqual(['pay 5']);
        await expectWhole(disk);
        expect((await usages(disk))[0]).toEqual({ inputTokens: 60, outputTokens: 120 });
      });
    }

    test('L11: whoever takes over the thread of the agent above takes over what runs below it', async () => {
      let now = 1_000;
      const disk = (OPEN[name] as (clock: () => number) => ThreadStore)(() => now);
      const log: string[] = [];
      // The claims below are younger than the one at the top by most of their time.
      const slow = callThen('office: done', callClerk());
      const script = often((request: ModelRequest) => {
        now += 20_000;
        return slow(request);
      });
      await team({ store: dyingStore(disk, 5), log, office: { script } })
        .desk.run({ threadId: 't', message: 'go' })
        .catch((error: unknown) => error);
      now += 15_000;
      const result = await team({ store: disk, log }).desk.resume({ threadId: 't' });
      expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
      await expectWhole(disk);
    });

    test('L11: a message after a crash ends what was left below, and begins a new turn', async () => {
      for (let commits = 2; commits <= 11; commits += 1) {
        let now = 1_000;
        const disk = (OPEN[name] as (clock: () => number) => ThreadStore)(() => now);
        const log: string[] = [];
        await team({ store: dyingStore(disk, commits), log })
          .desk.run({ threadId: 't', message: 'go' })
          .catch((error: unknown) => error);
        const paid = log.length;
        now += LATER_MS;
        const second = team({ store: disk, log, desk: { script: ['hello again'] } }).desk;
        const result = await second.run({ threadId: 't', message: 'still there?' });
        expect(result).toMatchObject({ status: 'completed', text: 'hello again' });
        expect(log.length).toBe(paid);
        for (const { threadId } of await disk.listThreads()) {
          const phase = (await disk.load(threadId))?.state['phase'];
          expect(phase).toMatchObject({ name: 'finished' });
        }
      }
    });
  },
);
