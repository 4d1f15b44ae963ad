import { deleteThread, type ThreadStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { approvalsOf, askFirst, callPay, callThen, team, yesTo } from '../subagents/team.ts';
import { fullAgent, MARK, makeFullThread } from './full-thread.ts';
import { stores } from './stores.ts';

const lone = (store: ThreadStore, hooks: object[] = []) =>
  team({
    store,
    desk: { script: [callThen('done', callPay(5)), 'done', 'hi', 'hi'], hooks } as never,
  }).desk;

describe.each(stores())('deleteThread on %s', (_name, open) => {
  test('nothing of the thread and its subagents is left, in the files either', async () => {
    const { store, bytes } = open();
    await makeFullThread(store);
    const before = bytes();
    expect(await deleteThread(store, 't')).toBe(2);
    expect(await store.listThreads()).toEqual([]);
    expect(before === '' || before.includes(MARK)).toBe(true);
    expect(bytes()).not.toContain(MARK);
    expect(await deleteThread(store, 't')).toBe(0);
    await store.close?.();
  });

  test('threads of the app whose ids begin alike are left, with their subagents', async () => {
    const { store } = open();
    const { desk } = team({ store });
    for (const threadId of ['t', 't/b', 't/1.1.0x', 't0'])
      await desk.run({ threadId, message: 'go' });
    const ids = async () => (await store.listThreads()).map(({ threadId }) => threadId);
    expect(await ids()).toHaveLength(12);
    expect(await deleteThread(store, 't')).toBe(3);
    expect((await ids()).filter((id) => !/^(t\/b|t\/1\.1\.0x|t0)/.test(id))).toEqual([]);
    expect(await ids()).toHaveLength(9);
    await store.close?.();
  });

  test('a thread that waits for a person goes too, and its approval is unknown then', async () => {
    const { store } = open();
    const desk = lone(store, [askFirst]);
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect(await deleteThread(store, 't')).toBe(1);
    expect(await desk.pendingApprovals()).toEqual([]);
    await expect(desk.resume({ threadId: 't', answers: yesTo(paused) })).rejects.toMatchObject({
      code: 'unknown-thread',
    });
    await desk.run({ threadId: 't', message: 'anew' });
    await expect(desk.resume({ threadId: 't', answers: yesTo(paused) })).rejects.toMatchObject({
      code: 'approval-unknown',
    });
    expect(approvalsOf(paused)).toHaveLength(1);
    await store.close?.();
  });

  test('a thread that a run holds is busy, and nothing is removed', async () => {
    const { store } = open();
    await makeFullThread(store);
    const { token } = await store.claim('t', { holder: 'run', ttlMs: 60_000 });
    await expect(deleteThread(store, 't')).rejects.toMatchObject({ code: 'thread-busy' });
    await store.release('t', token);
    expect(await store.listThreads()).toHaveLength(2);
    await store.close?.();
  });

  test('the claim of a subagent that outlived its process is taken over', async () => {
    const { store } = open();
    await makeFullThread(store);
    await store.claim('t/2.3.0', { holder: 'below t', ttlMs: 60_000 });
    expect(await deleteThread(store, 't')).toBe(2);
    await store.close?.();
  });

  test('the thread of a subagent is deleted with its own only', async () => {
    const { store } = open();
    await makeFullThread(store);
    await expect(deleteThread(store, 't/2.3.0')).rejects.toMatchObject({
      code: 'child-thread',
      message: expect.stringContaining("Name thread 't'"),
    });
    expect(await store.listThreads()).toHaveLength(2);
    await store.close?.();
  });

  test('a failure on the way leaves the thread to be found, and the next request ends it', async () => {
    const { store } = open();
    await makeFullThread(store);
    const failing: ThreadStore = Object.create(store, {
      deleteThread: {
        value: (...[threadId, token]: Parameters<ThreadStore['deleteThread']>) => {
          if (threadId === 't') throw new Error('the disk is full');
          return store.deleteThread(threadId, token);
        },
      },
      ...bound(store),
    });
    await expect(deleteThread(failing, 't')).rejects.toThrow('the disk is full');
    expect(await store.listThreads()).toMatchObject([{ threadId: 't' }]);
    expect(await deleteThread(store, 't')).toBe(1);
    await store.close?.();
  });

  test('a run of before cannot bring the thread back, and a new one starts at its beginning', async () => {
    const { store } = open();
    await makeFullThread(store);
    const state = (await store.load('t'))?.state ?? {};
    await deleteThread(store, 't');
    const old = { messages: [], events: [], ledger: [], approvals: [], memory: {}, artifacts: [] };
    await expect(async () => store.commit('t', 1, 0, { ...old, state })).rejects.toMatchObject({
      code: 'thread-conflict',
    });
    await store.recordLate('t', '1.1.0', { outcome: 'succeeded', isError: false, output: MARK });
    expect(await store.load('t')).toBeUndefined();
    const { agent } = fullAgent(store, ['hello']);
    expect(await agent.run({ threadId: 't', message: 'hi' })).toMatchObject({ text: 'hello' });
    expect(await store.readMessages('t')).toHaveLength(2);
    expect((await store.readEvents('t'))[0]).toMatchObject({ seq: 1, isFirst: true });
    await store.close?.();
  });
});

test('deleteThread reclaims the files unless it is told not to', async () => {
  const { store } = stores()[0]?.[1]() ?? {};
  if (store === undefined) throw new Error('there is no store');
  let scrubs = 0;
  const counting = Object.assign(store, {
    scrub: () => {
      scrubs += 1;
    },
  });
  await makeFullThread(store);
  await deleteThread(counting, 't', { scrub: false });
  expect(scrubs).toBe(0);
  await deleteThread(counting, 't');
  expect(scrubs).toBe(1);
});

test.each([
  ['no store', () => deleteThread({} as never, 't'), 'invalid-input'],
  [
    'no id',
    () => deleteThread(stores()[0]?.[1]().store as ThreadStore, '' as never),
    'invalid-input',
  ],
  [
    'an unknown option',
    () => deleteThread(stores()[0]?.[1]().store as ThreadStore, 't', { scrap: true } as never),
    'unknown-option',
  ],
])('deleteThread with %s is refused', async (_what, attempt, code) => {
  await expect(attempt()).rejects.toMatchObject({ code });
});

/** The methods of a store, for an object that has it as its prototype. */
function bound(store: ThreadStore): PropertyDescriptorMap {
  const names = [
    'claim',
    'renew',
    'release',
    'load',
    'listThreads',
    'commit',
    'rewriteThread',
  ] as const;
  return Object.fromEntries(
    names.map((name) => [
      name,
      { value: (...args: never[]) => Reflect.apply(store[name], store, args) },
    ]),
  );
}
