import { createAgent, scriptedModel, toolResultsOf } from 'agent-hooks';
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
