import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
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
  return new Proxy(store, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      if (member !== 'commit') return value.bind(target);
      return async (...args: unknown[]) => {
        if (isDown()) throw new Error('the store is down');
        await value.apply(target, args);
      };
    },
  });
}

describe('on memory', () => rows(() => memoryStore()));
describe('on SQLite', () => rows(() => sqliteStore({ path: ':memory:' })));
await onService('postgres', (url) => rows(() => postgresStore({ url, schema: newSchema() })));
await onService('redis', (url) => rows(() => redisStore({ url, prefix: `rows-${randomUUID()}` })));
