import { inspect } from 'node:util';
import {
  ApprovalError,
  type CorruptRecordError,
  createAgent,
  deleteThread,
  hostTool,
  type ModelRequest,
  memoryStore,
  type RunResult,
  type StoreVersionError,
  type ThreadStore,
  ToolDecision,
  type UnfinishedOptions,
  type UnfinishedTurn,
} from 'agent-hooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { changes } from '../../src/testing/conformance/thread-store/samples.ts';
import { runProcess } from '../acceptance/processes/run-process.ts';
import { callPay, desk, dyingStore } from '../loop/desk.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { approvalsOf, askFirst, team, yesTo } from './subagents/team.ts';

type Clock = { now: number };
const newPath = tempFiles();
const STORES: readonly (readonly [name: string, open: (clock: Clock) => ThreadStore])[] = [
  ['memory', (clock) => memoryStore({ now: () => clock.now })],
  ['SQLite', (clock) => sqliteStore({ path: newPath(), now: () => clock.now })],
];

/** Answers by what it reads, as a model does. */
const answer = (request: ModelRequest) =>
  request.messages.at(-1)?.role === 'tool' ? 'done' : { toolCalls: [callPay(5)] };
const script = Array.from({ length: 30 }, () => answer);

type Listing = { unfinishedTurns(options?: UnfinishedOptions): AsyncIterable<UnfinishedTurn> };

async function listed(agent: Listing, options?: UnfinishedOptions) {
  const turns: UnfinishedTurn[] = [];
  for await (const turn of agent.unfinishedTurns(options)) turns.push(turn);
  return turns;
}

type Parts = Pick<Parameters<typeof desk>[0], 'log' | 'more'> & { store: ThreadStore };

/** A turn whose process dies after so many commits. */
async function leave(threadId: string, commits: number, at: Parts) {
  const { agent } = desk({ script, ...at, store: dyingStore(at.store, commits) });
  await agent.run({ threadId, message: 'go' }).catch((error: unknown) => error);
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(STORES)('unfinished turns on %s', (_name, open) => {
  test('are those that an ended process left, wherever it ended, and resume goes on with each', async () => {
    const clock = { now: 1_000 };
    const store = open(clock);
    const log: string[] = [];
    for (const commits of [0, 1, 2, 3]) await leave(`left ${commits}`, commits, { store, log });
    const { agent } = desk({ script, store, log });
    await agent.run({ threadId: 'whole', message: 'go' });
    const left = ['left 1', 'left 2', 'left 3'];
    const turns = left.map((threadId) => ({ threadId, turnId: '1' }));
    for (const pageSize of [undefined, 1, 2, 200])
      expect(await listed(agent, pageSize === undefined ? {} : { pageSize })).toEqual(turns);
    clock.now += 60_000;
    const ended: string[] = [];
    for await (const { threadId } of agent.unfinishedTurns({ pageSize: 1 }))
      ended.push((await agent.resume({ threadId })).status);
    expect(ended).toEqual(['completed', 'completed', 'completed']);
    expect(await listed(agent)).toEqual([]);
    await store.close?.();
  });

  test('tell whom they wait for, and of what has expired that it goes on', async () => {
    const clock = { now: 1_000 };
    const store = open(clock);
    const expiresInMs = 500;
    const outside = hostTool({
      name: 'outside',
      description: 'Is run by the app',
      inputSchema: z.object({}),
      tier: 'auto',
    });
    const ask = {
      name: 'ask',
      preToolUse: (_call: unknown, { threadId }: { readonly threadId: string }) =>
        threadId === 'host'
          ? undefined
          : ToolDecision.requiresConfirmation('pay?', threadId === 'soon' ? { expiresInMs } : {}),
    };
    const options = { hooks: [ask], store };
    vi.useFakeTimers({ toFake: ['Date'] });
    const { agent } = desk({ script, ...options });
    for (const threadId of ['asked', 'soon']) await agent.run({ threadId, message: 'go' });
    const host = desk({
      script: [{ toolCalls: [{ name: 'outside', input: {} }] }],
      ...options,
      more: { tools: [outside] },
    });
    expect(await host.agent.run({ threadId: 'host', message: 'go' })).toMatchObject({
      status: 'awaiting-tools',
    });
    const turns = [
      { threadId: 'asked', turnId: '1', waitsFor: 'approval' },
      { threadId: 'host', turnId: '1', waitsFor: 'tools' },
      { threadId: 'soon', turnId: '1', waitsFor: 'approval' },
    ];
    expect(await listed(agent)).toEqual(turns);
    // As it is without answers: nothing happens to it.
    const versions = await store.listThreads();
    expect((await agent.resume({ threadId: 'asked' })).status).toBe('awaiting-approval');
    expect((await host.agent.resume({ threadId: 'host' })).status).toBe('awaiting-tools');
    expect(await store.listThreads()).toEqual(versions);
    vi.setSystemTime(Date.now() + expiresInMs);
    const { waitsFor: _over, ...goesOn } = turns[2] ?? {};
    expect(await listed(agent)).toEqual([...turns.slice(0, 2), goesOn]);
    expect(await agent.resume({ threadId: 'soon' })).toMatchObject({ status: 'completed' });
    await store.close?.();
  });

  test('hold the one whose answer was stored, of which no approval is open any more', async () => {
    const clock = { now: 1_000 };
    const store = open(clock);
    const log: string[] = [];
    const hooks = [askFirst];
    const { agent } = desk({ script, store, log, hooks });
    const answers = yesTo(await agent.run({ threadId: 't', message: 'go' }));
    const dying = desk({ script, store: dyingStore(store, 1), log, hooks });
    await dying.agent.resume({ threadId: 't', answers }).catch((error: unknown) => error);
    clock.now += 60_000;
    expect(await agent.pendingApprovals()).toEqual([]);
    const again = await agent.resume({ threadId: 't', answers }).catch((error) => error);
    expect(ApprovalError.isInstance(again) && again.code).toBe('approval-answered');
    expect(again.message).toContain('`resume({ threadId })`');
    expect(log).not.toContain('pay 5');
    expect(await listed(agent)).toEqual([{ threadId: 't', turnId: '1' }]);
    expect(await agent.resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
    expect(log.filter((entry) => entry === 'pay 5')).toHaveLength(1);
    await store.close?.();
  });

  test('are of this agent only, and of the outermost thread', async () => {
    const clock = { now: 1_000 };
    const store = open(clock);
    vi.useFakeTimers({ toFake: ['Date'] });
    const ask = {
      name: 'ask',
      preToolUse: ({ toolName }: { readonly toolName: string }) =>
        toolName === 'pay'
          ? ToolDecision.requiresConfirmation('pay?', { expiresInMs: 500 })
          : undefined,
    };
    const { desk: top } = team({ clerk: { hooks: [ask] }, store });
    const clerk = createAgent({ name: 'clerk', model: desk({ script }).model, store });
    const paused = await top.run({ threadId: 't', message: 'go' });
    expect(approvalsOf(paused)).toMatchObject([{ threadId: 't/1.1.0/1.1.0' }]);
    expect(await listed(top)).toEqual([{ threadId: 't', turnId: '1', waitsFor: 'approval' }]);
    expect(await listed(clerk)).toEqual([]);
    vi.setSystemTime(Date.now() + 500);
    expect(await listed(top)).toEqual([{ threadId: 't', turnId: '1' }]);
    expect(await top.resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
    expect(await listed(top)).toEqual([]);
    await store.close?.();
  });

  test('are read without a claim, and nothing is written', async () => {
    const clock = { now: 1_000 };
    const store = open(clock);
    for (const commits of [1, 3]) await leave(`left ${commits}`, commits, { store });
    const asked: string[] = [];
    const watched = new Proxy(store, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          asked.push(String(key));
          return Reflect.apply(member, target, args);
        };
      },
    });
    expect(await listed(desk({ script, store: watched }).agent)).toHaveLength(2);
    expect([...new Set(asked)].sort()).toEqual(['listThreads', 'load']);
    await store.close?.();
  });

  test('pass over a thread that is deleted before it is read, and one that another process holds is busy', async () => {
    const clock = { now: 1_000 };
    const store = open(clock);
    for (const threadId of ['a', 'b', 'c']) await leave(threadId, 1, { store });
    const { agent } = desk({ script, store });
    const seen: string[] = [];
    for await (const { threadId } of agent.unfinishedTurns()) {
      seen.push(threadId);
      await expect(agent.resume({ threadId })).rejects.toMatchObject({ code: 'thread-busy' });
      clock.now += 60_000;
      if (threadId === 'a') await deleteThread(store, 'b');
      clock.now -= 60_000;
    }
    expect(seen).toEqual(['a', 'c']);
    await store.close?.();
  });

  test('leave out what a newer version wrote and what is damaged, and tell of it', async () => {
    const clock = { now: 1_000 };
    const store = open(clock);
    await leave('d', 1, { store });
    const states = {
      a: { format: 99, agent: 'desk', secret: 'sk-1' },
      b: { format: 1, agent: 'desk', secret: 'sk-2' },
      c: { format: 99, agent: 'another' },
      e: { format: 1, agent: 'desk', phase: { name: 'awaiting-child', turn: { turnId: 'sk-3' } } },
    };
    for (const [threadId, state] of Object.entries(states)) {
      const { token } = await store.claim(threadId, { holder: 'x', ttlMs: 1 });
      await store.commit(threadId, token, 0, changes({ state }));
      await store.release(threadId, token);
    }
    const { agent } = desk({ script, store });
    const told: (CorruptRecordError | StoreVersionError)[] = [];
    const left = [{ threadId: 'd', turnId: '1' }];
    expect(await listed(agent, { onDamaged: (error) => void told.push(error) })).toEqual(left);
    expect(told.map(({ code }) => code)).toEqual([
      'store-version',
      'corrupt-record',
      'corrupt-record',
    ]);
    expect(told[0]?.message).toContain("thread 'a'");
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    expect(await listed(agent)).toEqual(left);
    expect(warned).toHaveBeenCalledTimes(3);
    const said = inspect(warned.mock.calls);
    for (const word of ["thread 'a'", "thread 'b'", 'AGENT_HOOKS_DAMAGED'])
      expect(said).toContain(word);
    expect(said + inspect(told)).not.toContain('sk-');
    await store.close?.();
  });
});

describe('unfinished turns', () => {
  test('hold one that runStep left between two steps, which resume runs to its end', async () => {
    const { agent } = desk({ script });
    await agent.runStep({ threadId: 't', message: 'go' });
    expect(await listed(agent)).toEqual([{ threadId: 't', turnId: '1' }]);
    expect((await agent.resume({ threadId: 't' })).status).toBe('completed');
    expect(await listed(agent)).toEqual([]);
    const over = agent.resume({ threadId: 't' });
    await expect(over).rejects.toMatchObject({ code: 'nothing-to-continue' });
  });

  test.each(['queue', 'interrupt'] as const)(
    'of a dead process are waited for with onBusy %s',
    async (onBusy) => {
      const store = memoryStore();
      await leave('t', 1, { store, more: { leaseMs: 150 } });
      const { agent } = desk({ script, store, more: { onBusy } });
      const signal = AbortSignal.timeout(5);
      expect(await agent.resume({ threadId: 't', signal })).toMatchObject({ status: 'cancelled' });
      expect(await listed(agent)).toHaveLength(1);
      expect((await agent.resume({ threadId: 't' })).status).toBe('completed');
    },
  );

  test('hold the one of a process that was killed once it had stored an answer', async () => {
    const [path, linesPath] = [newPath(), newPath()];
    const paused = (await runProcess('approve.ts', path, linesPath)) as RunResult;
    const [{ approvalId } = { approvalId: '' }] = approvalsOf(paused);
    await expect(
      runProcess('approve.ts', path, linesPath, approvalId, 'die'),
    ).rejects.toMatchObject({ signal: 'SIGKILL' });
    // As it is found once the claim of the dead process has run out.
    const store = sqliteStore({ path, now: () => Date.now() + 60_000 });
    const agent = createAgent({ name: 'a', model: desk({ script }).model, store });
    expect(await agent.pendingApprovals()).toEqual([]);
    expect(await listed(agent)).toEqual([{ threadId: 't', turnId: '1' }]);
    expect(await agent.resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
    expect(await listed(agent)).toEqual([]);
    await store.close?.();
  }, 30_000);

  test('leave out what a run of the agent is at', async () => {
    const store = memoryStore();
    const other = createAgent({ name: 'desk', model: desk({ script: [] }).model, store });
    let [own, elsewhere]: (readonly UnfinishedTurn[])[] = [[], []];
    const look = {
      name: 'look',
      postToolUse: async () => {
        own = await listed(agent);
        elsewhere = await listed(other);
      },
    };
    const { agent } = desk({ script, store, hooks: [look] });
    await agent.run({ threadId: 't', message: 'go' });
    expect([own, elsewhere]).toEqual([[], [{ threadId: 't', turnId: '1' }]]);
  });

  test('an unusable option is refused before anything is read, and what a store throws is thrown', async () => {
    const store = memoryStore();
    const listThreads = vi.spyOn(store, 'listThreads').mockImplementation(() => {
      throw new Error('no connection');
    });
    const { agent } = desk({ script, store });
    const invalid = [{ pageSize: 0 }, { pageSize: 1.5 }, { onDamaged: 'no' }, null];
    for (const options of invalid)
      expect(() => agent.unfinishedTurns(options as UnfinishedOptions)).toThrow(
        expect.objectContaining({ code: 'invalid-option' }),
      );
    expect(() => agent.unfinishedTurns({ limit: 2 } as UnfinishedOptions)).toThrow(
      expect.objectContaining({ code: 'unknown-option' }),
    );
    expect(listThreads).not.toHaveBeenCalled();
    await expect(listed(agent)).rejects.toThrow('no connection');
  });
});
