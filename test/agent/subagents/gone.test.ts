import { CorruptRecordError, createAgent, scriptedModel, toolResultsOf } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { askFirst, callThen, often, outputsOf, STORES, team, yesTo } from './team.ts';

const asking = { clerk: { hooks: [askFirst] } };

describe.each(STORES)('B43: a subagent that waits and is no longer there, on %s', (_name, open) => {
  const withoutOffice = (store: ReturnType<typeof open>) =>
    createAgent({ name: 'desk', model: scriptedModel(often(callThen('desk: done'))), store });

  test('is answered by nobody, and ended all the way down by a cancel; its call says that nobody knows', async () => {
    const { desk, store, log } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const other = withoutOffice(store);
    const answers = yesTo(paused);
    await expect(other.resume({ threadId: 't', answers })).rejects.toMatchObject({
      code: 'approval-altered',
      message: expect.stringContaining('the agent that asked for it is no longer there'),
    });
    const result = await other.cancel('t');
    expect(result.status).toBe('cancelled');
    expect(outputsOf(result)).toEqual([expect.stringMatching(/^Outcome unknown/)]);
    for (const threadId of ['t/1.1.0', 't/1.1.0/1.1.0'])
      expect((await store.load(threadId))?.state['phase']).toMatchObject({
        name: 'finished',
        outcome: { status: 'cancelled' },
      });
    expect(await desk.pendingApprovals()).toEqual([]);
    expect(log).toEqual([]);
  });

  test('whose tool is gone reads that, runs nothing, and the agents above go on', async () => {
    const { desk, store, log } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const unable = team({ store, log, clerk: { hooks: [askFirst], more: { tools: [] } } });
    const result = await unable.desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(log).toEqual([]);
    const below = await store.readMessages('t/1.1.0/1.1.0');
    expect(below.flatMap(toolResultsOf)).toMatchObject([
      { toolName: 'pay', outcome: 'unknown-tool', isError: true },
    ]);
  });

  /** The records of a subagent that waits have become unreadable, for whoever comes after. */
  async function pausedWith(load: () => Promise<never>) {
    const { desk, store } = team({ ...asking, store: open() });
    await desk.run({ threadId: 't', message: 'go' });
    const broken = new Proxy(store, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) =>
          key === 'load' && args[0] === 't/1.1.0' ? load() : Reflect.apply(member, target, args);
      },
    });
    return { store, cancel: () => team({ ...asking, store: broken }).desk.cancel('t') };
  }

  test('whose record is damaged keeps no turn open: a cancel ends it, and nobody knows what it did', async () => {
    const { cancel } = await pausedWith(async () => {
      throw new CorruptRecordError('t/1.1.0', "thread 't/1.1.0'", 'damaged');
    });
    const result = await cancel();
    expect(result.status).toBe('cancelled');
    expect(outputsOf(result)).toEqual([expect.stringMatching(/^Outcome unknown.*corrupt-record/)]);
  });

  test('whose record cannot be read now is not given up: the cancel fails, and can be made again', async () => {
    const { cancel, store } = await pausedWith(() => Promise.reject(new Error('the disk is gone')));
    expect(await cancel()).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
    expect((await store.load('t'))?.state['phase']).toMatchObject({ name: 'awaiting-child' });
    const result = await team({ ...asking, store }).desk.cancel('t');
    expect(result.status).toBe('cancelled');
    expect(outputsOf(result)).toEqual([expect.stringMatching(/cancelled/i)]);
  });

  test('under another name is ended too, and what it had used is counted', async () => {
    const { desk, store } = team({ ...asking, store: open() });
    await desk.run({ threadId: 't', message: 'go' });
    const renamed = team({ store, office: { more: { name: 'bureau' } } }).desk;
    const result = await renamed.run({ threadId: 't', message: 'so?', supersede: true });
    expect(result.status).toBe('completed');
    expect((await store.load('t/1.1.0'))?.state['phase']).toMatchObject({
      outcome: { status: 'cancelled' },
    });
    const [end] = (await store.readEvents('t')).filter(({ type }) => type === 'turn.finished');
    expect(end).toMatchObject({ status: 'cancelled', usage: { inputTokens: 30 } });
  });
});
