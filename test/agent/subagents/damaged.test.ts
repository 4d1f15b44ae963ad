import {
  type ApprovalAnswer,
  CorruptRecordError,
  createAgent,
  memoryStore,
  type StoredThread,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { dyingStore } from '../../loop/desk.ts';
import {
  askFirst,
  callClerk,
  callPay,
  callThen,
  often,
  outputsOf,
  STORES,
  team,
  yesTo,
} from './team.ts';

const OFFICE = 't/1.1.0';
const CLERK = 't/1.1.0/1.1.0';
const asking = { clerk: { hooks: [askFirst] } };

const damages: readonly (readonly [string, (stored: StoredThread) => StoredThread])[] = [
  [
    'cannot be read',
    ({ threadId }) => {
      throw new CorruptRecordError(threadId, `thread '${threadId}'`, 'damaged');
    },
  ],
  ['is nothing that this package wrote', (stored) => ({ ...stored, state: {} })],
];

/** The store, with the record of one thread damaged for whoever comes after. */
function damaged(
  store: ThreadStore,
  threadId: string,
  damage: (stored: StoredThread) => StoredThread = damages[0]?.[1] ?? expect.unreachable(),
): ThreadStore {
  return new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const given: unknown = await Reflect.apply(member, target, args);
        const isDamaged = key === 'load' && args[0] === threadId && given !== undefined;
        return isDamaged ? damage(given as StoredThread) : given;
      };
    },
  });
}

const LOST = /^Outcome unknown: .*\(corrupt-record\).* may have .*Do not repeat the task before/;

describe.each(STORES)('a subagent whose record is damaged, on %s', (_name, open) => {
  async function pausedWith(threadId: string, damage?: (stored: StoredThread) => StoredThread) {
    const { desk, store, log } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const after = team({ ...asking, store: damaged(store, threadId, damage), log });
    return { store, log, paused, desk: after.desk };
  }

  test.each(damages)('that %s ends its call, and the agent above goes on', async (_how, damage) => {
    const { desk, log, store } = await pausedWith(OFFICE, damage);
    const result = await desk.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(outputsOf(result)).toEqual([expect.stringMatching(LOST)]);
    expect(log).toEqual([]);
    const events = await store.readEvents('t');
    expect(events.filter(({ type }) => type === 'tool.failed')).toMatchObject([
      { outcome: 'unknown', reason: expect.stringContaining('corrupt-record') },
    ]);
    // It is over: the next turn has nothing to do with it.
    const next = await desk.run({ threadId: 't', message: 'and now?' });
    expect(next.status).not.toBe('failed');
  });

  test('below another one ends the call of that one, which goes on', async () => {
    const { desk, store, log } = await pausedWith(CLERK);
    const result = await desk.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(outputsOf(result)).toEqual(['office: done']);
    const below = await store.readMessages(OFFICE);
    expect(JSON.stringify(below)).toContain('Outcome unknown: ');
    expect(log).toEqual([]);
  });

  test('takes no answer, and what it asked for is not listed', async () => {
    const { desk, paused, store, log } = await pausedWith(OFFICE);
    const before = (await store.load('t'))?.version;
    const answers = yesTo(paused);
    await expect(desk.resume({ threadId: 't', answers })).rejects.toMatchObject({
      code: 'corrupt-record',
      threadId: OFFICE,
    });
    expect((await store.load('t'))?.version).toBe(before);
    const told: CorruptRecordError[] = [];
    const onDamaged = (error: CorruptRecordError) => void told.push(error);
    expect(await desk.pendingApprovals({ threadId: 't', onDamaged })).toEqual([]);
    expect(told).toMatchObject([{ threadId: OFFICE }]);
    expect((await desk.resume({ threadId: 't' })).status).toBe('completed');
    expect(log).toEqual([]);
  });

  test.each([false, true])(
    'is no reason to refuse a message (supersede: %s)',
    async (supersede) => {
      const { desk, store, log } = await pausedWith(OFFICE);
      const result = await desk.run({ threadId: 't', message: 'so?', supersede });
      expect(result.status).not.toBe('failed');
      const ends = (await store.readEvents('t')).filter(({ type }) => type === 'turn.finished');
      expect(ends[0]).toMatchObject({ turnId: '1', status: 'cancelled' });
      expect(JSON.stringify(await store.readMessages('t'))).toContain('Outcome unknown: ');
      expect(log).toEqual([]);
    },
  );

  test('keeps nobody beside it from being answered', async () => {
    const desks = { script: often(callThen('desk: done', callClerk('a'), callClerk('b'))) };
    const { desk, store, log } = team({ ...asking, desk: desks, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const other = yesTo(paused).slice(1);
    const after = team({ ...asking, desk: desks, store: damaged(store, OFFICE), log });
    const result = await after.desk.resume({ threadId: 't', answers: other });
    expect(result.status).toBe('completed');
    expect(outputsOf(result)).toEqual([expect.stringMatching(LOST), 'clerk: paid']);
    expect(log).toEqual(['pay 5']);
  });

  test('runs nothing twice of what it had done before it asked', async () => {
    const first = { script: [{ toolCalls: [callPay(1)] }, { toolCalls: [callPay(2)] }, 'paid'] };
    const asksForTwo = {
      name: 'asks-for-two',
      preToolUse: ({ effectiveInput }: { readonly effectiveInput: object }) =>
        'euros' in effectiveInput && effectiveInput.euros === 2
          ? ToolDecision.requiresConfirmation('pay?')
          : undefined,
    };
    const clerk = { ...first, hooks: [asksForTwo] };
    const { desk, store, log } = team({ clerk, store: open() });
    await desk.run({ threadId: 't', message: 'go' });
    expect(log).toEqual(['pay 1']);
    const after = team({ clerk, store: damaged(store, CLERK), log });
    expect((await after.desk.resume({ threadId: 't' })).status).toBe('completed');
    expect(log).toEqual(['pay 1']);
  });

  test('ends its call also where its tool is gone, by going on and by a cancel', async () => {
    for (const how of ['resume', 'cancel'] as const) {
      const { store } = await pausedWith(OFFICE);
      const model = scriptedModel(often(callThen('desk: done')));
      const without = createAgent({ name: 'desk', model, store: damaged(store, OFFICE) });
      const result = await (how === 'cancel'
        ? without.cancel('t')
        : without.resume({ threadId: 't' }));
      expect(result.status).toBe(how === 'cancel' ? 'cancelled' : 'completed');
      expect(outputsOf(result)).toEqual([expect.stringMatching(LOST)]);
    }
  });

  test('that cannot be read now is not given up: it goes on later', async () => {
    const { desk, paused, store, log } = await pausedWith(OFFICE, () => {
      throw new Error('the disk is gone');
    });
    const failed = await desk.resume({ threadId: 't' });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
    const answers: readonly ApprovalAnswer[] = yesTo(paused);
    const result = await team({ ...asking, store, log }).desk.resume({ threadId: 't', answers });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(log).toEqual(['pay 5']);
  });
});

test('a subagent whose record is damaged after a crash ends its call, and nothing runs twice', async () => {
  for (const commits of [3, 4, 5, 6, 7, 8]) {
    let now = 1_000;
    const memory: ThreadStore = memoryStore({ now: () => now });
    const log: string[] = [];
    await team({ store: dyingStore(memory, commits), log })
      .desk.run({ threadId: 't', message: 'go' })
      .catch((error: unknown) => error);
    now += 60_000;
    const before = [...log];
    const result = await team({ store: damaged(memory, OFFICE), log }).desk.resume({
      threadId: 't',
    });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(log).toEqual(before);
  }
});
