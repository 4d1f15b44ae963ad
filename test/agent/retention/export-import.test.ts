import { exportThread, importThread, memoryStore, type ThreadStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { approvalsOf, askFirst, team, yesTo } from '../subagents/team.ts';
import { fullAgent, linesOf, makeFullThread } from './full-thread.ts';
import { stores } from './stores.ts';

const STORES = stores();
const PAIRS = STORES.flatMap(([from, openFrom]) =>
  STORES.map(([to, openTo]) => ({ from, to, openFrom, openTo })),
);

describe.each(PAIRS)(
  'a thread exported from $from and imported into $to',
  ({ openFrom, openTo }) => {
    test('is the same, and its export is the same to the byte', async () => {
      const { store: from } = openFrom();
      const { store: to } = openTo();
      await makeFullThread(from);
      const lines = await linesOf(from);
      expect(await importThread(to, lines)).toEqual({ threadId: 't', threads: 2 });
      expect(await linesOf(to)).toEqual(lines);
      expect(await to.load('t')).toEqual({ ...(await from.load('t')), version: 1 });
      await closeAll(from, to);
    });

    test('goes on: the history is read, and events go on in number', async () => {
      const { store: from } = openFrom();
      const { store: to } = openTo();
      await makeFullThread(from);
      await importThread(to, await linesOf(from));
      const { agent, model } = fullAgent(to, ['hello']);
      expect(await agent.run({ threadId: 't', message: 'hi' })).toMatchObject({ text: 'hello' });
      expect(JSON.stringify(model.requests)).toContain('They spoke of');
      const lastSeq = (await from.load('t'))?.lastSeq ?? 0;
      expect((await to.readEvents('t', { after: lastSeq }))[0]).toMatchObject({ seq: lastSeq + 1 });
      await closeAll(from, to);
    });

    test('that waits for a person is answered there, two agents down, and pays once', async () => {
      const { store: from } = openFrom();
      const { store: to } = openTo();
      const here = team({ store: from, clerk: { hooks: [askFirst] } });
      const paused = await here.desk.run({ threadId: 't', message: 'go' });
      const lines = await linesOf(from);
      expect(await importThread(to, lines)).toEqual({ threadId: 't', threads: 3 });
      expect(await linesOf(to)).toEqual(lines);
      const there = team({ store: to, clerk: { hooks: [askFirst] } });
      expect(await there.desk.pendingApprovals({ threadId: 't' })).toEqual(approvalsOf(paused));
      expect(await there.desk.resume({ threadId: 't', answers: yesTo(paused) })).toMatchObject({
        status: 'completed',
        text: 'desk: done',
      });
      expect([here.log, there.log]).toEqual([[], ['pay 5']]);
      await closeAll(from, to);
    });
  },
);

describe.each(STORES)('exportThread on %s', (_name, open) => {
  test('a thread of more than a page of everything comes whole', async () => {
    const { store } = open();
    const other = memoryStore();
    const { desk } = team({ store });
    for (let turn = 0; turn < 60; turn += 1)
      await desk.run({ threadId: 't', message: 'go' }).catch(() => 0);
    const lines = await linesOf(store);
    expect(lines.filter((line) => line.startsWith('{"message"')).length).toBeGreaterThan(200);
    const events = await store.readEvents('t');
    const told = lines.filter(
      (line) => line.includes('"threadId":"t","turnId"') && line.startsWith('{"event"'),
    );
    expect(told.map((line) => JSON.parse(line).event)).toEqual(events);
    await importThread(other, lines);
    expect(await linesOf(other)).toEqual(lines);
    await store.close?.();
  });

  test('a run that changes the thread meanwhile is told of before its end is written', async () => {
    const { store } = open();
    await makeFullThread(store);
    const read: string[] = [];
    const reading = async () => {
      for await (const line of exportThread(store, 't')) {
        read.push(line);
        if (read.length === 20)
          await fullAgent(store, ['hello']).agent.run({ threadId: 't', message: 'hi' });
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'thread-conflict' });
    expect(read.some((line) => line.startsWith('{"end"'))).toBe(false);
    await expect(importThread(memoryStore(), read)).rejects.toMatchObject({
      code: 'invalid-import',
      line: read.length + 1,
    });
    await store.close?.();
  });

  test.each([
    ['is read', '"threadId":"t/1.1.0"}'],
    ['has been read, and all others too', '{"end":', 3],
  ])('a subagent that goes on when its thread %s is told of', async (_when, line, times = 1) => {
    const { store } = open();
    const { desk } = team({ store, clerk: { hooks: [askFirst] } });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const read: string[] = [];
    let left = times;
    const reading = async () => {
      for await (const each of exportThread(store, 't')) {
        read.push(each);
        if (!each.includes(line)) continue;
        left -= 1;
        if (left === 0) await desk.resume({ threadId: 't', answers: yesTo(paused) });
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'thread-conflict' });
    expect(left).toBeLessThanOrEqual(0);
    expect(read.some((each) => each.startsWith('{"finished"'))).toBe(false);
    await store.close?.();
  });

  test('members of a ledger entry come in one order, whatever that of the store', async () => {
    const { store } = open();
    await makeFullThread(store);
    const lines = await linesOf(store);
    const readLedger = store.readLedger.bind(store);
    Object.assign(store, {
      readLedger: async (...args: Parameters<ThreadStore['readLedger']>) =>
        (await readLedger(...args)).map((entry) =>
          Object.fromEntries(Object.entries(entry).reverse()),
        ),
    });
    expect(await linesOf(store)).toEqual(lines);
    await store.close?.();
  });

  test('an unknown thread, that of a subagent and one in the middle of a step are refused', async () => {
    const { store } = open();
    await makeFullThread(store);
    await expect(linesOf(store, 'nobody')).rejects.toMatchObject({ code: 'unknown-thread' });
    await expect(linesOf(store, 't/2.3.0')).rejects.toMatchObject({ code: 'child-thread' });
    const { desk } = team({ store });
    // Between two steps a state may hold feedback for the next request.
    await desk.runStep({ threadId: 'u', message: 'go' });
    await expect(linesOf(store, 'u')).rejects.toMatchObject({
      code: 'open-turn',
      message: expect.stringContaining('`resume`'),
    });
    await store.close?.();
  });
});

test.each(STORES)(
  'importThread takes back what it wrote on %s where a later thread fails',
  async (_name, open) => {
    const { store: from } = open();
    await makeFullThread(from);
    const to = memoryStore();
    const commit = to.commit.bind(to);
    let fails = true;
    const failing: ThreadStore = Object.assign(to, {
      commit: (...args: Parameters<ThreadStore['commit']>) => {
        if (fails && args[0] === 't') throw new Error('the disk is full');
        return commit(...args);
      },
    });
    const lines = await linesOf(from);
    await expect(importThread(failing, lines)).rejects.toThrow('the disk is full');
    expect(await to.listThreads()).toEqual([]);
    fails = false;
    await importThread(failing, lines);
    expect(await linesOf(to)).toEqual(lines);
    await from.close?.();
  },
);

async function closeAll(...opened: readonly ThreadStore[]): Promise<void> {
  for (const store of opened) await store.close?.();
}
