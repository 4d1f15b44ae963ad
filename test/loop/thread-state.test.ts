import {
  createAgent,
  defineHooks,
  StateError,
  scriptedModel,
  type ToolContext,
  ToolDecision,
  ToolError,
  ToolResultDecision,
  tool,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { MODES } from '../acceptance/modes.ts';
import { illegal, sleep, stores } from '../acceptance/play.ts';
import { calling, changes, type State, stateDesk, stateTool } from './state-desk.ts';

const DEFAULTS = { visits: 0, customer: null };

describe.each(stores())('%s store', (_name, open) => {
  describe.each(MODES)('$name', ({ turn }) => {
    test('what a tool sets is read at once, stored with the step, and in the result', async () => {
      const seen: unknown[] = [];
      const book = stateTool('book', ({ state }) => {
        seen.push(state.get('day'), state.get('visits'));
        state.set('day', 'monday');
        state.set('visits', 3);
        state.set('customer', { name: 'Ann', vip: true });
        seen.push(state.get('day'), state.get('visits'));
        return 'booked';
      });
      const policy: unknown[] = [];
      const reads = defineHooks<unknown, State>({
        name: 'reads',
        onTurnStart: (_turn, { state }) => void policy.push(['start', state]),
        postToolUse: (_call, _result, { state }) => void policy.push(['after', state.day]),
        preLlmRequest: (_request, { state }) => void policy.push(['request', state.day]),
      });
      const { agent, store, heard } = stateDesk({
        script: [calling('book'), calling('book'), 'again'],
        tools: [book],
        hooks: [reads],
        store: open(),
      });
      const full = { day: 'monday', visits: 3, customer: { name: 'Ann', vip: true } };
      const result = await turn(agent, { threadId: 't', message: 'go' });
      expect(result).toMatchObject({ status: 'completed', state: full });
      expect(seen).toEqual([undefined, 0, 'monday', 3]);
      expect(policy).toEqual([
        ['start', DEFAULTS],
        ['request', undefined],
        ['after', 'monday'],
        ['request', 'monday'],
      ]);
      expect(changes(heard)).toEqual([['day', 'visits', 'customer']]);
      expect(changes(await store.readEvents('t'))).toEqual(changes(heard));
      expect((await store.load('t'))?.state['values']).toEqual(full);
      expect(await turn(agent, { threadId: 't', message: 'more' })).toMatchObject({ state: full });
      expect(policy).toContainEqual(['start', full]);
      await store.close?.();
    });
  });

  test('B48: false, 0, the empty text and null come back as they were', async () => {
    const store = open();
    const values = { day: '', visits: 0, customer: null };
    const put = stateTool('put', ({ state }) => {
      state.set('day', '');
      state.set('visits', 0);
      state.set('customer', null);
    });
    const first = stateDesk({ script: [calling('put'), 'done'], tools: [put], store });
    expect(await first.agent.run({ threadId: 't', message: 'go' })).toMatchObject({
      state: values,
    });
    const other = stateDesk({ script: ['hello'], store });
    const result = await other.agent.run({ threadId: 't', message: 'still there?' });
    expect(result.state).toEqual(values);
    expect((await store.load('t'))?.state['values']).toEqual(values);
    await store.close?.();
  });
});

/** Tells the model what the state threw, which otherwise only the process hears. */
function said(use: () => unknown): unknown {
  try {
    return use();
  } catch (error) {
    throw new ToolError(error instanceof StateError ? error.message : 'another error');
  }
}

describe('U-AC7: a change is an event', () => {
  test('U-AC7: with the names of the fields, before the end of the call, once stored', async () => {
    const put = stateTool('put', ({ state }) => state.set('day', 'monday'));
    const { agent, heard } = stateDesk({ script: [calling('put'), 'done'], tools: [put] });
    await agent.run({ threadId: 't', message: 'go' });
    const types = heard.map(({ type }) => type);
    const at = types.indexOf('state.changed');
    expect(types.slice(at - 1, at + 2)).toEqual([
      'tool.started',
      'state.changed',
      'tool.succeeded',
    ]);
    expect(heard[at]).toMatchObject({ fields: ['day'], threadId: 't', turnId: '1', step: 1 });
  });

  test('what is set to what it was is no change', async () => {
    const put = stateTool('put', ({ state }) => state.set('day', 'monday'));
    const script = [calling('put'), 'done'];
    const { agent, heard } = stateDesk({ script: [...script, ...script], tools: [put] });
    await agent.run({ threadId: 't', message: 'go' });
    await agent.run({ threadId: 't', message: 'again' });
    expect(changes(heard)).toEqual([['day']]);
  });

  test('reading changes nothing', async () => {
    const look = stateTool('look', ({ state }) => state.get('visits'));
    const { agent, heard, store } = stateDesk({ script: [calling('look'), 'done'], tools: [look] });
    await agent.run({ threadId: 't', message: 'go' });
    expect(changes(heard)).toEqual([]);
    expect((await store.load('t'))?.state).not.toHaveProperty('values');
  });
});

describe('a field', () => {
  test('set to undefined has its default again', async () => {
    const put = stateTool('put', ({ state }) => {
      state.set('day', 'monday');
      state.set('visits', 3);
    });
    const clear = stateTool('clear', ({ state }) => {
      state.set('day', undefined);
      state.set('visits', illegal(undefined));
      return [state.get('day') ?? null, state.get('visits')];
    });
    const { agent, store } = stateDesk({
      script: [calling('put'), 'done', calling('clear'), 'done'],
      tools: [put, clear],
    });
    await agent.run({ threadId: 't', message: 'go' });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result.state).toEqual(DEFAULTS);
    expect(result.messages.flatMap(toolResultsOf)[0]).toMatchObject({ output: [null, 0] });
    expect((await store.load('t'))?.state['values']).toEqual({});
  });

  test.each([
    ['visits', 'three', 'invalid-value'],
    ['visits', 1.5, 'invalid-value'],
    ['day', new Date(0), 'invalid-value'],
    ['customer', { name: 'Ann' }, 'invalid-value'],
    ['dya', 'monday', 'unknown-field'],
    ['__proto__', { isAdmin: true }, 'unknown-field'],
    ['constructor', 'x', 'unknown-field'],
    [7, 'x', 'unknown-field'],
  ])('%s refuses %j with a typed error, and nothing has changed', async (field, value, code) => {
    let caught: unknown;
    const put = stateTool('put', ({ state }) => {
      try {
        state.set(illegal(field), illegal(value));
      } catch (error) {
        caught = error;
      }
      return state.get('visits');
    });
    const { agent, heard } = stateDesk({ script: [calling('put'), 'done'], tools: [put] });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(StateError.isInstance(caught)).toBe(true);
    expect(caught).toMatchObject({ code });
    expect(result.state).toEqual(DEFAULTS);
    expect(changes(heard)).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  test.each(['dya', '__proto__', 'constructor', 'hasOwnProperty'])(
    'called %s is no field to read either',
    async (field) => {
      const get = stateTool('get', ({ state }) => said(() => state.get(illegal(field))));
      const { agent } = stateDesk({ script: [calling('get'), 'done'], tools: [get] });
      const result = await agent.run({ threadId: 't', message: 'go' });
      const [answer] = result.messages.flatMap(toolResultsOf);
      expect(answer?.outcome).toBe('failed');
      expect(JSON.stringify(answer?.output)).toContain('no field of this name');
    },
  );

  test('given out is frozen, for policies and tools, and what was put in can change without it', async () => {
    const mine = { name: 'Ann', vip: true };
    const frozen: boolean[] = [];
    const put = stateTool('put', ({ state }) => {
      state.set('customer', mine);
      mine.vip = false;
      frozen.push(Object.isFrozen(state.get('customer')));
    });
    let thrown: unknown;
    const writes = defineHooks<unknown, State>({
      name: 'writes',
      postToolUse: (_call, _result, ctx) => {
        frozen.push(Object.isFrozen(ctx.state), Object.isFrozen(ctx.state.customer));
        try {
          Object.assign(ctx.state, { visits: 9 });
        } catch (error) {
          thrown = error;
        }
      },
    });
    const script = [calling('put'), 'done'];
    const { agent } = stateDesk({ script, tools: [put], hooks: [writes] });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result.state).toEqual({ visits: 0, customer: { name: 'Ann', vip: true } });
    expect(frozen).toEqual([true, true, true]);
    expect(thrown).toBeInstanceOf(TypeError);
  });
});

describe('a field that may be null', () => {
  test('is null when it was set so, whatever its default', async () => {
    const schema = z.object({ day: z.string().nullable().default('monday') });
    const forget = tool({
      name: 'forget',
      description: 'Forgets the day',
      inputSchema: z.object({}),
      tier: 'auto',
      execute: (_input, { state }: ToolContext<unknown, z.infer<typeof schema>>) =>
        state.set('day', null),
    });
    const model = scriptedModel([calling('forget'), 'done']);
    const agent = createAgent({ name: 'desk', model, stateSchema: schema, tools: [forget] });
    expect((await agent.run({ message: 'go' })).state).toEqual({ day: null });
  });
});

describe('what a call wrote counts', () => {
  test('when the tool then throws, or a policy withholds its result', async () => {
    const put = stateTool('put', ({ state }) => {
      state.set('day', 'monday');
      throw new Error('and yet');
    });
    const ok = stateTool('ok', ({ state }) => state.set('visits', 1));
    const withholds = defineHooks({
      name: 'withholds',
      postToolUse: () => ToolResultDecision.modify({ output: 'gone', isError: true }),
    });
    const { agent, heard } = stateDesk({
      script: [calling('put', 'ok'), 'done'],
      tools: [put, ok],
      hooks: [withholds],
    });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result.state).toMatchObject({ day: 'monday', visits: 1 });
    expect(changes(heard)).toEqual([['day', 'visits']]);
  });

  test('and a call that was refused wrote nothing', async () => {
    const put = stateTool('put', ({ state }) => state.set('day', 'monday'));
    const refuses = defineHooks({ name: 'no', preToolUse: () => ToolDecision.block('no') });
    const script = [calling('put'), 'done'];
    const { agent } = stateDesk({ script, tools: [put], hooks: [refuses] });
    expect((await agent.run({ threadId: 't', message: 'go' })).state).toEqual(DEFAULTS);
  });

  test('until the app sets it anew', async () => {
    const put = stateTool('put', ({ state }) => state.set('day', 'monday'));
    const { agent } = stateDesk({ script: [calling('put'), 'done', 'hello'], tools: [put] });
    await agent.run({ threadId: 't', message: 'go' });
    const result = await agent.run({ threadId: 't', message: 'go', state: { day: 'friday' } });
    expect(result.state).toMatchObject({ day: 'friday' });
  });

  test('each change of a call that must not run twice is told, also one back', async () => {
    const set = stateTool('set', ({ state }) => state.set('day', 'x'), { sideEffects: 'once' });
    const back = stateTool('back', ({ state }) => state.set('day', undefined), {
      sideEffects: 'once',
    });
    const { agent, heard } = stateDesk({
      script: [calling('set', 'back'), 'done'],
      tools: [set, back],
    });
    await agent.run({ threadId: 't', message: 'go' });
    expect(changes(heard)).toEqual([['day'], ['day']]);
  });

  test('side by side the latest write counts, and each reads what the other wrote', async () => {
    const seen: unknown[] = [];
    const slow = stateTool(
      'slow',
      async ({ state }) => {
        state.set('day', 'slow first');
        await sleep(15);
        seen.push(state.get('day'));
      },
      { parallel: true },
    );
    const fast = stateTool(
      'fast',
      async ({ state }) => {
        await sleep(5);
        seen.push(state.get('day'));
        state.set('day', 'fast last');
      },
      { parallel: true },
    );
    const { agent, heard } = stateDesk({
      script: [calling('slow', 'fast'), 'done'],
      tools: [slow, fast],
    });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(seen).toEqual(['slow first', 'fast last']);
    expect(result.state).toMatchObject({ day: 'fast last' });
    expect(changes(heard)).toEqual([['day']]);
  });

  test('of fifty calls that count at a time every one is counted', async () => {
    const add = stateTool(
      'add',
      async ({ state }) => {
        await sleep(1);
        state.set('visits', state.get('visits') + 1);
      },
      { parallel: true },
    );
    const script = [calling(...Array.from({ length: 50 }, () => 'add')), 'done'];
    const { agent } = stateDesk({ script, tools: [add] });
    expect((await agent.run({ threadId: 't', message: 'go' })).state).toMatchObject({ visits: 50 });
  });
});

describe('a write that comes too late', () => {
  const late = (options: object, wait = 60) => {
    const caught: unknown[] = [];
    const put = stateTool(
      'put',
      async ({ state }) => {
        state.set('day', 'in time');
        await sleep(40);
        try {
          state.set('visits', 9);
        } catch (error) {
          caught.push(error);
          throw error;
        }
      },
      options,
    );
    return { put, caught, over: () => sleep(wait) };
  };

  test.each([{ sideEffects: 'idempotent' }, { sideEffects: 'none' }] as const)(
    'after the time of the tool is refused, what came before is kept: %j',
    async (options) => {
      const { put, caught, over } = late({ ...options, timeoutMs: 10 });
      const { agent, store } = stateDesk({ script: [calling('put'), 'done'], tools: [put] });
      const result = await agent.run({ threadId: 't', message: 'go' });
      await over();
      expect(caught).toMatchObject([{ code: 'late-write', name: 'StateError' }]);
      expect(result.state).toEqual({ ...DEFAULTS, day: 'in time' });
      expect((await store.load('t'))?.state['values']).toEqual({ day: 'in time' });
    },
  );

  test('after a cancel and its grace is refused', async () => {
    const { put, caught, over } = late({ sideEffects: 'once' });
    const { agent } = stateDesk({
      script: [calling('put'), 'done'],
      tools: [put],
      more: { cancelGraceMs: 5 },
    });
    const running = agent.run({ threadId: 't', message: 'go' });
    await sleep(15);
    await agent.cancel('t');
    expect(await running).toMatchObject({ status: 'cancelled', state: { day: 'in time' } });
    await over();
    expect(caught).toMatchObject([{ code: 'late-write' }]);
    const result = await agent.run({ threadId: 't', message: 'more' });
    expect(result.state).toEqual({ ...DEFAULTS, day: 'in time' });
  });

  test('within the grace counts', async () => {
    const { put, caught } = late({ sideEffects: 'once' });
    const { agent } = stateDesk({ script: [calling('put'), 'done'], tools: [put] });
    const running = agent.run({ threadId: 't', message: 'go' });
    await sleep(15);
    await agent.cancel('t');
    expect(await running).toMatchObject({ state: { day: 'in time', visits: 9 } });
    expect(caught).toEqual([]);
  });

  test('by a tool that kept what it was given is refused, and reading is not', async () => {
    let kept: Parameters<Parameters<typeof stateTool>[1]>[0] | undefined;
    const keep = stateTool('keep', (ctx) => {
      kept = ctx;
    });
    const { agent } = stateDesk({ script: [calling('keep'), 'done'], tools: [keep] });
    await agent.run({ threadId: 't', message: 'go' });
    expect(() => kept?.state.set('day', 'x')).toThrow(
      expect.objectContaining({ code: 'late-write' }),
    );
    expect(kept?.state.get('visits')).toBe(0);
  });
});

describe('an agent without a schema', () => {
  test('has no state: policies read an empty one, and tools are told', async () => {
    const put = stateTool('put', ({ state }) => said(() => state.set('day', 'x')));
    const seen: unknown[] = [];
    const reads = defineHooks({
      name: 'r',
      onTurnStart: (_turn, { state }) => void seen.push(state),
    });
    const { agent, store } = stateDesk({
      script: [calling('put'), 'done'],
      tools: [put],
      hooks: [illegal(reads)],
      more: { stateSchema: illegal(undefined) },
    });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result).not.toHaveProperty('state');
    expect(seen).toEqual([{}]);
    const [answer] = result.messages.flatMap(toolResultsOf);
    expect(JSON.stringify(answer?.output)).toContain('no `stateSchema`');
    expect((await store.load('t'))?.state).not.toHaveProperty('values');
  });

  test('goes on with a thread that has one, and leaves it as it is', async () => {
    const first = stateDesk({ script: ['hello'] });
    await first.agent.run({ threadId: 't', message: 'go', state: { day: 'monday' } });
    const { agent, store } = stateDesk({
      script: ['hello'],
      store: first.store,
      more: { stateSchema: illegal(undefined) },
    });
    await agent.run({ threadId: 't', message: 'more' });
    expect((await store.load('t'))?.state['values']).toEqual({ day: 'monday' });
  });
});

describe('U-AF2: what one thread has is its own', () => {
  test('U-AF2: two threads at a time on one agent never read each other', async () => {
    const put = stateTool('put', async ({ state, threadId }) => {
      state.set('day', threadId);
      await sleep(5);
      return state.get('day');
    });
    const { agent } = stateDesk({
      script: Array.from({ length: 20 }, () => calling('put')),
      tools: [put],
    });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const results = await Promise.all(
      ids.map((threadId) => agent.run({ threadId, message: 'go' })),
    );
    expect(results.map(({ state }) => state?.day)).toEqual(ids);
  });
});
