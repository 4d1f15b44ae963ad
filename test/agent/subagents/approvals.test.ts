import { describe, expect, test } from 'vitest';
import {
  approvalsOf,
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

const asking = { clerk: { hooks: [askFirst] } };

describe.each(STORES)('an approval asked for below, on %s', (_name, open) => {
  test('is in the result and in the list of the outermost agent, with where it is from', async () => {
    const { desk, log } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect(approvalsOf(paused)).toMatchObject([
      {
        toolName: 'pay',
        input: { euros: 5 },
        threadId: 't/1.1.0/1.1.0',
        topThreadId: 't',
        agent: 'clerk',
        agentPath: ['desk', 'office'],
        requirements: [{ policy: 'clerk/ask-first', prompt: 'pay?' }],
      },
    ]);
    expect(await desk.pendingApprovals({ threadId: 't' })).toEqual(approvalsOf(paused));
    expect(await desk.pendingApprovals()).toEqual(approvalsOf(paused));
    expect(log).toEqual([]);
  });

  test('is answered at the top, and its call runs once', async () => {
    const { desk, log } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const result = await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(outputsOf(result)).toEqual(['office: done']);
    expect(log).toEqual(['pay 5']);
    expect(await desk.pendingApprovals({ threadId: 't' })).toEqual([]);
    const again = desk.resume({ threadId: 't', answers: yesTo(paused) });
    await expect(again).rejects.toMatchObject({ code: 'approval-answered' });
    expect(log).toEqual(['pay 5']);
  });

  test('that is refused is a refusal there, and the agents above go on', async () => {
    const { desk, log } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const answers = yesTo(paused).map((answer) => ({ ...answer, approved: false, reason: 'no' }));
    const result = await desk.resume({ threadId: 't', answers });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(log).toEqual([]);
  });

  test('is edited as any other: the input is checked by the tool of the subagent', async () => {
    const { desk, log } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const edited = (input: { readonly euros: number | string }) =>
      yesTo(paused).map((answer) => ({ ...answer, input }));
    const wrong = desk.resume({ threadId: 't', answers: edited({ euros: 'all' }) });
    await expect(wrong).rejects.toMatchObject({ code: 'approval-invalid-input' });
    expect(log).toEqual([]);
    await desk.resume({ threadId: 't', answers: edited({ euros: 2 }) });
    expect(log).toEqual(['pay 2']);
  });

  test('is still listed for a resume that has nothing to say', async () => {
    const store = open();
    const { desk } = team({ ...asking, store });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const { version } = (await store.load('t')) ?? {};
    expect(approvalsOf(await desk.resume({ threadId: 't' }))).toEqual(approvalsOf(paused));
    expect(approvalsOf(await desk.runStep({ threadId: 't' }))).toEqual(approvalsOf(paused));
    expect((await store.load('t'))?.version).toBe(version);
  });
});

describe('two subagents of one batch', () => {
  const twoClerks = callThen('desk: done', callClerk('first'), callClerk('second'));
  const asks = { ...asking, desk: { script: often(twoClerks) } };

  test('both wait; each answer lets its own go on, and nothing is run or asked twice', async () => {
    const { desk, log, store } = team(asks);
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const [first, second] = approvalsOf(paused);
    expect([first?.threadId, second?.threadId]).toEqual(['t/1.1.0', 't/1.1.1']);
    const answer = (approval: typeof first) => [
      { approvalId: approval?.approvalId ?? '', approved: true, by: 'boss' },
    ];
    const half = await desk.resume({ threadId: 't', answers: answer(second) });
    expect(approvalsOf(half)).toEqual([first]);
    expect(await desk.pendingApprovals({ threadId: 't' })).toEqual([first]);
    expect(log).toEqual(['pay 5']);
    const { version } = (await store.load('t/1.1.1')) ?? {};
    const result = await desk.resume({ threadId: 't', answers: answer(first) });
    expect(result.status).toBe('completed');
    expect(outputsOf(result)).toEqual(['clerk: paid', 'clerk: paid']);
    expect(log).toEqual(['pay 5', 'pay 5']);
    expect((await store.load('t/1.1.1'))?.version).toBe(version);
  });

  test('of which one waits: the other, and tools beside them, have run and are not run again', async () => {
    const script = [
      callThen('clerk: read', { name: 'read', input: {} }),
      'clerk: read',
      callThen('clerk: paid', callPay(5)),
      'clerk: paid',
    ];
    const { desk, log, store } = team({
      clerk: { hooks: [askFirst], script },
      desk: {
        script: often(
          callThen('desk: done', callClerk('read'), callPay(1), callClerk('pay'), {
            name: 'read',
            input: {},
          }),
        ),
      },
    });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect(approvalsOf(paused)).toMatchObject([{ threadId: 't/1.1.2' }]);
    expect(log.toSorted()).toEqual(['pay 1', 'read', 'read']);
    const result = await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(log.toSorted()).toEqual(['pay 1', 'pay 5', 'read', 'read']);
    expect(outputsOf(result)).toEqual(['clerk: read', { paid: 1 }, 'clerk: paid', 7]);
    const ends = (await store.readEvents('t')).filter(({ type }) => type === 'tool.succeeded');
    expect(ends.map((event) => 'callId' in event && event.callId).toSorted()).toEqual([
      '1.1.0',
      '1.1.1',
      '1.1.2',
      '1.1.3',
    ]);
  });

  test('one wrong answer takes none, whichever it is', async () => {
    const { desk, log } = team(asks);
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const [first] = yesTo(paused);
    const wrong = { approvalId: 'made-up', approved: true, by: 'boss' };
    const taken = desk.resume({ threadId: 't', answers: first ? [first, wrong] : [] });
    await expect(taken).rejects.toMatchObject({ code: 'approval-unknown' });
    expect(log).toEqual([]);
    expect(await desk.pendingApprovals({ threadId: 't' })).toHaveLength(2);
  });

  test('a page of the list goes on where the last ended, over all threads', async () => {
    const { desk } = team(asks);
    await desk.run({ threadId: 't', message: 'go' });
    const all = await desk.pendingApprovals({ threadId: 't' });
    const page = await desk.pendingApprovals({ threadId: 't', limit: 1 });
    expect(page).toHaveLength(1);
    const [first] = page;
    const rest = await desk.pendingApprovals({ threadId: 't', after: first?.approvalId ?? '' });
    expect([first, ...rest]).toEqual(all);
    expect(all.map(({ approvalId }) => approvalId)).toEqual(
      all.map(({ approvalId }) => approvalId).toSorted(),
    );
  });
});

describe('B35: an approval of a subagent', () => {
  test('is not answered on another thread, nor on its own without the agents above', async () => {
    const { desk, clerk, log, store } = team(asking);
    const paused = await desk.run({ threadId: 't', message: 'go' });
    await desk.run({ threadId: 'u', message: 'go' });
    const answers = yesTo(paused);
    const foreign = desk.resume({ threadId: 'u', answers });
    await expect(foreign).rejects.toMatchObject({ code: 'approval-foreign' });
    const threadId = approvalsOf(paused)[0]?.threadId ?? '';
    const alone = desk.resume({ threadId, answers });
    await expect(alone).rejects.toMatchObject({
      code: 'child-thread',
      message: `thread '${threadId}': it belongs to a call of a subagent, and is run with that only. Answer, go on and cancel on thread 't'`,
    });
    const elsewhere = clerk.resume({ threadId, answers });
    await expect(elsewhere).rejects.toMatchObject({ code: 'unknown-thread' });
    const sameStore = team({ ...asking, store, clerk: { hooks: [], more: { store } } });
    const escaped = sameStore.clerk.resume({ threadId, answers });
    await expect(escaped).rejects.toMatchObject({ code: 'child-thread' });
    const written = sameStore.clerk.run({ threadId, message: 'pay', supersede: true });
    await expect(written).rejects.toMatchObject({ code: 'child-thread' });
    expect(log).toEqual([]);
  });
});

test('an approval of a subagent that runs out counts as not approved at the next resume', async () => {
  const expiring = {
    ...askFirst,
    preToolUse: (call: { readonly toolName: string }) => {
      const asked = askFirst.preToolUse(call);
      return asked && { ...asked, expiresInMs: 1 };
    },
  };
  const { desk, log } = team({ clerk: { hooks: [expiring] } });
  await desk.run({ threadId: 't', message: 'go' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await desk.pendingApprovals({ threadId: 't' })).toEqual([]);
  const result = await desk.resume({ threadId: 't' });
  expect(result).toMatchObject({ status: 'completed' });
  expect(log).toEqual([]);
});

test('a subagent that asks again after the answer is asked about again', async () => {
  const twice = callThen('clerk: paid', callPay(5));
  const script = [twice, { toolCalls: [callPay(6)] }, 'clerk: paid both'];
  const { desk, log } = team({ clerk: { hooks: [askFirst], script } });
  const first = await desk.run({ threadId: 't', message: 'go' });
  const second = await desk.resume({ threadId: 't', answers: yesTo(first) });
  expect(approvalsOf(second)).toMatchObject([{ input: { euros: 6 } }]);
  expect(log).toEqual(['pay 5']);
  const result = await desk.resume({ threadId: 't', answers: yesTo(second) });
  expect(result.status).toBe('completed');
  expect(log).toEqual(['pay 5', 'pay 6']);
});
