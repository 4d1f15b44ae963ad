import {
  type AgentHooks,
  createAgent,
  defineHooks,
  memoryStore,
  type StateValues,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ToolSchema } from '../../src/tools/schema.ts';
import { counted } from '../acceptance/play.ts';

/** An agent of one release: the same thread, another schema. */
function release<State extends StateValues>(
  stateSchema: ToolSchema<unknown, State>,
  store: ThreadStore,
  hooks: readonly AgentHooks<unknown, State>[] = [],
) {
  const model = scriptedModel(['one', 'two', 'three', 'four'], { strict: true });
  return createAgent({ name: 'desk', model, store, stateSchema, hooks });
}
const go = { threadId: 't', message: 'go' } as const;

async function stored(store: ThreadStore): Promise<unknown> {
  return (await store.load('t'))?.state['values'];
}

describe('a schema that changed', () => {
  const old = z.object({ day: z.string().optional(), visits: z.number().default(0) });
  const begin = async (state: { day?: string; visits?: number }) => {
    const store = memoryStore();
    await release(old, store).run({ ...go, state });
    return store;
  };

  test('a field that was added has its default, which is not stored', async () => {
    const store = await begin({ day: 'monday' });
    const added = old.extend({ vip: z.boolean().default(true) });
    expect((await release(added, store).run(go)).state).toEqual({
      day: 'monday',
      visits: 0,
      vip: true,
    });
    expect(await stored(store)).toEqual({ day: 'monday' });
  });

  test('a field that is gone is not read by anybody, and is there for a schema that knows it', async () => {
    const store = await begin({ day: 'monday', visits: 2 });
    const seen: unknown[] = [];
    const reads = defineHooks({
      name: 'r',
      onTurnStart: (_turn, { state }) => void seen.push(state),
    });
    const less = release(z.object({ visits: z.number().default(0) }), store, [reads]);
    const result = await less.run({ ...go, state: { visits: 3 } });
    expect([result.state, seen]).toEqual([{ visits: 3 }, [{ visits: 3 }]]);
    await expect(less.run({ ...go, state: { day: 'x' } as never })).rejects.toThrow('has not');
    expect((await release(old, store).run(go)).state).toEqual({ day: 'monday', visits: 3 });
  });

  test('a default that changed is read by threads that have not set the field', async () => {
    const store = await begin({});
    const other = old.extend({ visits: z.number().default(9) });
    expect((await release(other, store).run(go)).state).toEqual({ visits: 9 });
  });

  test('a key that was added inside a value has its default, and is stored with the next write', async () => {
    const order = z.object({ id: z.string() });
    const store = memoryStore();
    await release(z.object({ order: order.optional() }), store).run({
      ...go,
      state: { order: { id: 'a' } },
    });
    const wider = z.object({ order: order.extend({ lines: z.number().default(1) }).optional() });
    expect((await release(wider, store).run(go)).state).toEqual({ order: { id: 'a', lines: 1 } });
    expect(await stored(store)).toEqual({ order: { id: 'a' } });
  });
});

describe('B49: a stored value that does not fit any more', () => {
  const old = z.object({ pin: z.string().optional(), visits: z.number().default(0) });
  const next = z.object({ pin: z.number().optional(), visits: z.number().default(0) });
  const begin = async () => {
    const store = memoryStore();
    await release(old, store).run({ ...go, state: { pin: 'hunter2', visits: 2 } });
    return store;
  };
  const told = {
    name: 'StateError',
    code: 'stored-value',
    field: 'pin',
    message: expect.stringMatching(/thread 't', state field 'pin'/),
  };

  test('B49: is a typed error that names thread and field, before anything runs', async () => {
    const store = await begin();
    const before = await store.load('t');
    const agent = release(next, store);
    await expect(agent.run(go)).rejects.toMatchObject(told);
    await expect(agent.runStep(go)).rejects.toMatchObject(told);
    await expect(agent.resume({ threadId: 't' })).rejects.toMatchObject(told);
    await expect(agent.stream(go).result).rejects.toMatchObject(told);
    const error: unknown = await agent.run(go).catch((thrown: unknown) => thrown);
    expect(JSON.stringify([error, String(error), Object.entries(error as object)])).not.toContain(
      'hunter2',
    );
    expect(await store.load('t')).toEqual(before);
  });

  test('a run that sets it anew goes on, and so does an agent that can read it', async () => {
    const store = await begin();
    expect((await release(next, store).run({ ...go, state: { pin: 7 } })).state).toEqual({
      pin: 7,
      visits: 2,
    });
    expect((await release(next, store).run(go)).state).toEqual({ pin: 7, visits: 2 });
    const again = await begin();
    const reading = next.extend({ pin: z.union([z.number(), z.string()]).optional() });
    expect((await release(reading, again).run(go)).state).toEqual({ pin: 'hunter2', visits: 2 });
  });

  test('a run that sets another field does not', async () => {
    const store = await begin();
    await expect(release(next, store).run({ ...go, state: { visits: 3 } })).rejects.toMatchObject(
      told,
    );
    expect(await stored(store)).toEqual({ pin: 'hunter2', visits: 2 });
  });

  test('an open turn can be ended, and the thread too; the value stays, and nobody reads it', async () => {
    const store = memoryStore();
    const pay = counted('pay', { tier: 'confirm' });
    const options = {
      name: 'desk',
      store,
      tools: [pay.tool],
      model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }]),
    };
    const paused = await createAgent({ ...options, stateSchema: old }).run({
      ...go,
      state: { pin: 'hunter2' },
    });
    expect(paused.status).toBe('awaiting-approval');
    const seen: unknown[] = [];
    const hears = defineHooks({ name: 'h', onError: (_error, { state }) => void seen.push(state) });
    const agent = createAgent({ ...options, stateSchema: next, hooks: [hears] });
    expect(await agent.cancel('t')).toMatchObject({ status: 'cancelled', state: { visits: 0 } });
    expect(seen).toEqual([{ visits: 0 }]);
    await agent.endThread('t', 'over');
    expect(await stored(store)).toEqual({ pin: 'hunter2' });
  });

  test('an approval is not answered on top of it', async () => {
    const store = memoryStore();
    const ask = defineHooks({
      name: 'ask',
      preToolUse: () => ToolDecision.requiresConfirmation('sure?'),
    });
    const pay = counted('pay');
    const options = {
      name: 'desk',
      store,
      hooks: [ask],
      tools: [pay.tool],
      model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'done']),
    };
    const first = createAgent({ ...options, stateSchema: old });
    const paused = await first.run({ ...go, state: { pin: 'hunter2' } });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const answers = paused.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'boss',
    }));
    const other = createAgent({ ...options, stateSchema: next });
    await expect(other.resume({ threadId: 't', answers })).rejects.toMatchObject(told);
    expect(pay.inputs).toEqual([]);
    expect((await first.resume({ threadId: 't', answers })).status).toBe('completed');
    expect(pay.inputs).toHaveLength(1);
  });
});
