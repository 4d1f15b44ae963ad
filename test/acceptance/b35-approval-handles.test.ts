import { expect, test } from 'vitest';
import { scriptedModel, type ThreadStore } from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { onEveryStore } from './on-every-store.ts';
import { agentFor, counted, expectStatus } from './play.ts';
import { expectAnswered, expectPairs, resultsIn } from './traces.ts';

const SCRIPT = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'done', 'and more'];

await onEveryStore((_open, openTwice) => {
  /** A thread that waits, asked for by an agent on one handle; another agent is on the other. */
  async function paused() {
    const [here, there] = openTwice();
    const charge = counted('charge', { tier: 'confirm' });
    // Each has a model of its own, as another process would: it goes on with what is stored.
    const asking = agentOn(here, charge.tool, SCRIPT);
    const other = agentOn(there, charge.tool, SCRIPT.slice(1));
    const result = await asking.run({ threadId: 't', message: 'charge it' });
    return { asking, other, there, charged: charge.inputs, result };
  }

  function agentOn(
    store: ThreadStore,
    tool: ReturnType<typeof counted>['tool'],
    script: typeof SCRIPT,
  ) {
    return agentFor('run', {
      store,
      tools: [tool],
      model: scriptedModel(script, { strict: true }),
    });
  }

  test('B32, B44: what one handle waits for, another lists and answers without a message', async () => {
    const { other, there, charged, result } = await paused();
    const [listed] = await other.pendingApprovals({ threadId: 't' });
    expect(listed).toEqual(expectStatus(result, 'awaiting-approval').approvals[0]);
    expect(charged).toEqual([]);
    const answers = answersTo(result, true);
    expectStatus(await other.resume({ threadId: 't', answers }), 'completed');
    expect(charged).toEqual([{ id: 'a' }]);
    expect(await other.pendingApprovals()).toEqual([]);
    expectAnswered(await there.readMessages('t'));
    expectPairs(await there.readEvents('t'));
  });

  test('B35: of two handles that answer at once one is refused, and a further answer too', async () => {
    const { asking, other, there, charged, result } = await paused();
    const answers = answersTo(result, true);
    const both = await Promise.allSettled([
      asking.resume({ threadId: 't', answers }),
      other.resume({ threadId: 't', answers }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const agent of [asking, other])
      await expect(agent.resume({ threadId: 't', answers })).rejects.toMatchObject({
        code: 'approval-answered',
      });
    expect(charged).toHaveLength(1);
    expectAnswered(await there.readMessages('t'));
    expectPairs(await there.readEvents('t'));
  });

  test('B35: an answer from another thread is refused on every handle, and still counts at home', async () => {
    const { asking, other, charged, result } = await paused();
    await asking.run({ threadId: 'u', message: 'hello' }).catch((error: unknown) => error);
    const answers = answersTo(result, true);
    for (const agent of [asking, other])
      await expect(agent.resume({ threadId: 'u', answers })).rejects.toMatchObject({
        code: 'approval-foreign',
      });
    expect(charged).toEqual([]);
    expectStatus(await other.resume({ threadId: 't', answers }), 'completed');
    expect(charged).toHaveLength(1);
  });

  test("B38, B39: a no on another handle is the call's result, with its reason, before the next message", async () => {
    const { other, there, charged, result } = await paused();
    const answers = answersTo(result, false, { reason: 'paid already' });
    expectStatus(await other.resume({ threadId: 't', answers }), 'completed');
    expectStatus(await other.run({ threadId: 't', message: 'and now?' }), 'completed');
    expect(charged).toEqual([]);
    expect(Object.values(resultsIn(await there.readMessages('t')))).toEqual([
      { outcome: 'denied', output: 'Not approved: paid already' },
    ]);
  });
});
