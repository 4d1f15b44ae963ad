import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  defineHooks,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  ToolResultDecision,
} from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { agentFor, counted, expectStatus, play, sleep, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

type Method = (...args: unknown[]) => unknown;

/** A store with something between it and its caller, such as a network, at one of its methods. */
function between(
  store: ThreadStore,
  at: keyof ThreadStore,
  between_: (call: () => unknown) => Promise<unknown>,
): ThreadStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      // Every function of a store is a method of it.
      const method = member.bind(target) as Method;
      return name === at ? (...args: unknown[]) => between_(() => method(...args)) : method;
    },
  });
}

const slow = (store: ThreadStore, ms: number): ThreadStore =>
  between(store, 'commit', async (commit) => {
    await sleep(ms);
    return commit();
  });

const failing = (store: ThreadStore, at: keyof ThreadStore, which: number): ThreadStore => {
  let calls = 0;
  return between(store, at, async (call) => {
    calls += 1;
    if (calls === which) throw new Error('the connection was lost');
    return call();
  });
};

const four = { toolCalls: Array.from({ length: 4 }, () => ({ name: 'charge' })) };

describe.each(stores())('%s store', (_name, open) => {
  test('B33: a pause is announced only when it is stored, so it can be answered at once', async () => {
    const inner = open();
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']);
    const agent = agentFor('run', { model, tools: [charge.tool], store: slow(inner, 60) });
    let stored: unknown;
    agent.on('approval.requested', () => {
      stored = inner.pendingApprovals();
    });
    const paused = await agent.run({ threadId: 't', message: 'hello' });
    expect(stored).toHaveLength(1);
    const other = agentFor('run', { model, tools: [charge.tool], store: inner });
    const result = await other.resume({ threadId: 't', answers: answersTo(paused, true) });
    expectStatus(result, 'completed');
    expect(charge.inputs).toHaveLength(1);
  });

  test('B22: outcomes that are saved one by one, slowly, do not get in the way of each other', async () => {
    const charge = counted('charge', { parallel: true, execute: () => sleep(5).then(() => 'ok') });
    const model = scriptedModel([four, 'done'], { strict: true });
    const played = await play('run', { model, tools: [charge.tool], store: slow(open(), 15) });
    expectStatus(played.result, 'completed');
    const outcomes = Object.values(resultsIn(await played.store.readMessages('t')));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('succeeded'));
    expect(charge.inputs).toHaveLength(4);
    await expectSound(played);
  });

  test('B22: an outcome that cannot be saved is not lost, and no further call is started', async () => {
    const charge = counted('charge');
    const model = scriptedModel([four, 'done'], { strict: true });
    // The third commit is that of the first outcome.
    const store = failing(open(), 'commit', 3);
    const audit = defineHooks({
      name: 'audit',
      postToolUse(_call, _result, ctx) {
        ctx.memory.set('asked', true);
        return ToolResultDecision.keep();
      },
    });
    const played = await play('run', { model, tools: [charge.tool], hooks: [audit], store });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toHaveLength(1);
    const outcomes = Object.values(resultsIn(await store.readMessages('t')));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'succeeded',
      'not-executed',
      'not-executed',
      'not-executed',
    ]);
    expect(played.heard).toContainEqual(
      expect.objectContaining({ type: 'error.raised', code: 'outcome-not-saved' }),
    );
    const stored = await store.readEvents('t');
    expect(stored.filter(({ type }) => type === 'hook.decided')).toMatchObject([
      { policy: 'audit', decision: 'keep' },
    ]);
    expect((await store.load('t'))?.memory).toEqual({ audit: { asked: true } });
    await expectSound(played);
  });

  test('what a policy remembers while a commit is on its way is in the next one', async () => {
    const store = open();
    const counts = defineHooks({
      name: 'counts',
      postToolUse(_call, _result, ctx) {
        ctx.memory.set('n', Number(ctx.memory.get('n') ?? 0) + 1);
      },
    });
    let running = 0;
    const charge = counted('charge', {
      parallel: true,
      execute: () => {
        running += 1;
        return sleep(running * 10);
      },
    });
    const model = scriptedModel([four, 'done']);
    const scene = { model, tools: [charge.tool], hooks: [counts], store: slow(store, 25) };
    expectStatus((await play('run', scene)).result, 'completed');
    expect((await store.load('t'))?.memory).toEqual({ counts: { n: 4 } });
  });
});

test('a claim that cannot be given back costs nobody the result', async () => {
  const store = failing(memoryStore(), 'release', 1);
  const played = await play('run', { model: scriptedModel(['hi']), store });
  expect(expectStatus(played.result, 'completed').text).toBe('hi');
  expect(played.heard.at(-1)).toMatchObject({ type: 'error.raised', code: 'claim-not-released' });
});

test('B86: a policy that fails while it watches the last event is heard of', async () => {
  const heard: AgentEvent[] = [];
  const watcher = defineHooks({
    name: 'watcher',
    events: ['turn.finished'],
    onEvent() {
      throw new Error('watcher');
    },
  });
  const agent = agentFor('run', { model: scriptedModel(['hi']), hooks: [watcher] });
  agent.on('hook.failed', (event) => heard.push(event));
  expectStatus(await agent.run({ message: 'hello' }), 'completed');
  expect(heard).toMatchObject([{ policy: 'watcher', point: 'onEvent', open: true }]);
});
