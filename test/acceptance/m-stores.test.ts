import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { isStored } from '../../src/events/pattern.ts';
import {
  type AgentEvent,
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  ThreadConflictError,
  type ThreadStore,
  ToolDecision,
  tool,
} from '../../src/index.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { onService } from '../services/on-service.ts';
import { newSchema } from '../stores/new-schema.ts';
import { expectAnswered, expectPairs, resultsIn } from './traces.ts';

/** Rows that are about what a store keeps, on every store there is. */
function rows(open: () => ThreadStore): void {
  test('D01, D02: when a run returns, its turn has ended in the store', async () => {
    const store = open();
    const agent = createAgent({ name: 'a', model: scriptedModel(['hello']), store });
    expect(await agent.run({ threadId: 't', message: 'hi' })).toMatchObject({
      status: 'completed',
    });
    const types = (await store.readEvents('t')).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('turn.'))).toEqual([
      'turn.started',
      'turn.finished',
    ]);
    expect(await store.readMessages('t')).toHaveLength(2);
    await store.close?.();
  });

  test('D10: a second run on a thread is its second turn, and both have ended', async () => {
    const store = open();
    const agent = createAgent({ name: 'a', model: scriptedModel(['one', 'two']), store });
    for (const message of ['1', '2']) {
      expect((await agent.run({ threadId: 't', message })).status).toBe('completed');
    }
    const events = await store.readEvents('t');
    expectPairs(events);
    const ended = events.filter(({ type }) => type === 'turn.finished');
    expect(new Set(ended.map(({ turnId }) => turnId)).size).toBe(2);
    await store.close?.();
  });

  test('A10, A11: a result that cannot be committed is a failed run, and the next one does not run the tool again', async () => {
    const store = open();
    let runs = 0;
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({}),
      tier: 'auto',
      execute: () => {
        runs += 1;
        return 'paid';
      },
    });
    const calls = { toolCalls: [{ name: 'pay' }] };
    const tools = [pay];
    const flaky = failingWhen(store, () => runs > 0);
    const first = createAgent({ name: 'a', model: scriptedModel([calls]), tools, store: flaky });
    expect(await first.run({ threadId: 't', message: 'pay' })).toMatchObject({
      status: 'failed',
      error: { code: 'store-failed' },
    });
    const second = createAgent({ name: 'a', model: scriptedModel(['done']), tools, store });
    expect((await second.resume({ threadId: 't' })).status).toBe('completed');
    expect(runs).toBe(1);
    const messages = await store.readMessages('t');
    expectAnswered(messages);
    expect(Object.values(resultsIn(messages))).toEqual([{ outcome: 'succeeded', output: 'paid' }]);
    await store.close?.();
  });

  test('D04: a turn whose end cannot be stored is failed with that error, and the thread goes on', async () => {
    const store = open();
    let asked = 0;
    const flaky = failingWhen(store, () => asked > 0);
    const model = scriptedModel([
      () => {
        asked += 1;
        return 'hello';
      },
    ]);
    const agent = createAgent({ name: 'a', model, store: flaky });
    expect(await agent.run({ threadId: 't', message: '1' })).toMatchObject({
      status: 'failed',
      error: { code: 'store-failed' },
    });
    const next = createAgent({ name: 'a', model: scriptedModel(['two']), store });
    expect((await next.run({ threadId: 't', message: '2' })).status).toBe('completed');
    expectAnswered(await store.readMessages('t'));
    expectPairs(await store.readEvents('t'));
    await store.close?.();
  });

  test('M04: a turn that has ended stays as it ended: nothing is added to it, and it does not end twice', async () => {
    const inner = open();
    const commits: Parameters<ThreadStore['commit']>[] = [];
    const store = watched(inner, (args) => commits.push(args));
    const agent = createAgent({ name: 'a', model: scriptedModel(['hello', 'more']), store });
    expect((await agent.run({ threadId: 't', message: 'hi' })).status).toBe('completed');
    const before = await inner.readEvents('t');

    await agent.cancel('t');
    await expect(agent.resume({ threadId: 't' })).rejects.toThrow(/its last turn has ended/);
    expect(await inner.readEvents('t')).toEqual(before);

    // What its run would still write is refused, also when the thread has gone on.
    const last = commits.at(-1);
    if (last === undefined) throw new Error('nothing was committed');
    await expect(async () => inner.commit(...last)).rejects.toBeInstanceOf(ThreadConflictError);
    expect((await agent.run({ threadId: 't', message: 'go on' })).status).toBe('completed');
    await expect(async () => inner.commit(...last)).rejects.toBeInstanceOf(ThreadConflictError);
    const events = await inner.readEvents('t');
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.filter(({ type }) => type === 'turn.finished')).toHaveLength(2);
    await inner.close?.();
  });

  test('M04: a turn that was cancelled before anything happened is a finished turn in the store', async () => {
    const store = open();
    const agent = createAgent({ name: 'a', model: scriptedModel(['hello']), store });
    const signal = AbortSignal.abort();
    expect((await agent.run({ threadId: 't', message: 'hi', signal })).status).toBe('cancelled');
    expect((await store.readEvents('t')).map(({ type }) => type)).toEqual([
      'turn.started',
      'turn.finished',
    ]);
    await store.close?.();
  });

  test('M06: agents that share a store, one of them through another object, see each other, and read on from where they were', async () => {
    const store = open();
    const seen: number[] = [];
    const through = watched(store, ([, , , changes]) => seen.push(changes.events.length));
    const first = createAgent({ name: 'a', model: scriptedModel(['one']), store });
    const second = createAgent({ name: 'a', model: scriptedModel(['two']), store: through });
    const heard: AgentEvent[] = [];
    second.on('*', (event) => heard.push(event));

    await first.run({ threadId: 't', message: '1' });
    const earlier = await through.readEvents('t');
    expect(earlier).toEqual(await store.readEvents('t'));
    await second.run({ threadId: 't', message: '2' });
    const later = await store.readEvents('t', { after: earlier.at(-1)?.seq ?? 0 });
    expect(later.length).toBeGreaterThan(0);
    expect([...earlier, ...later]).toEqual(await through.readEvents('t'));
    // Whoever watches is told just what is stored, and the object between passes on all of it.
    expect(heard.filter(({ type }) => isStored(type))).toEqual(later);
    expect(seen.reduce((sum, count) => sum + count, 0)).toBe(later.length);
    expect(await first.run({ threadId: 't', message: '3' })).toMatchObject({ turnId: '3' });
    await store.close?.();
  });

  test('B51: a thread that waits goes on with the tools of today, not with those it was stored with', async () => {
    const store = open();
    const lookup = (inputSchema: z.ZodObject) =>
      tool({ name: 'look', description: 'Looks up', inputSchema, execute: () => 'seen' });
    const ask = defineHooks({
      name: 'ask',
      preToolUse: () => ToolDecision.requiresConfirmation('May it?'),
    });
    const before = createAgent({
      name: 'a',
      model: scriptedModel([{ toolCalls: [{ name: 'look', input: { id: '1' } }] }]),
      tools: [lookup(z.object({ id: z.string() }))],
      hooks: [ask],
      store,
    });
    const waiting = await before.run({ threadId: 't', message: 'look' });
    if (waiting.status !== 'awaiting-approval') throw new Error(waiting.status);
    const model = scriptedModel(['done']);
    const mended = z.object({ id: z.string().describe('the mended one') });
    const after = createAgent({ name: 'a', model, tools: [lookup(mended)], hooks: [ask], store });
    const answers = waiting.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'me',
    }));
    expect((await after.resume({ threadId: 't', answers })).status).toBe('completed');
    expect(JSON.stringify(model.requests[0]?.tools)).toContain('the mended one');
    // Nothing of a tool but its name and its inputs is stored.
    expect(JSON.stringify(await store.load('t'))).not.toContain('Looks up');
    await store.close?.();
  });
}

/** A store whose commits fail from a moment on. */
function failingWhen(store: ThreadStore, isDown: () => boolean): ThreadStore {
  return watched(store, () => {
    if (isDown()) throw new Error('the store is down');
  });
}

/** An object in front of a store that sees each commit before it is passed on. */
function watched(
  store: ThreadStore,
  see: (args: Parameters<ThreadStore['commit']>) => void,
): ThreadStore {
  return new Proxy(store, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      if (member !== 'commit') return value.bind(target);
      return async (...args: Parameters<ThreadStore['commit']>) => {
        see(args);
        await target.commit(...args);
      };
    },
  });
}

describe('on memory', () => rows(() => memoryStore()));
describe('on SQLite', () => rows(() => sqliteStore({ path: ':memory:' })));
await onService('postgres', (url) => rows(() => postgresStore({ url, schema: newSchema() })));
await onService('redis', (url) => rows(() => redisStore({ url, prefix: `rows-${randomUUID()}` })));
