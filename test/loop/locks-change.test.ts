import {
  defineHooks,
  type JsonObject,
  memoryStore,
  type ThreadStore,
  ToolDecision,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { dyingStore } from './desk.ts';
import { customer, type LockState, lockDesk, lookup, lookupTool, SECRET } from './lock-desk.ts';
import { type StateCtx, stateTool } from './state-desk.ts';

const UNKNOWN = expect.stringContaining('Outcome unknown');
const CHANGED = expect.stringContaining('has changed since the call was judged');

describe('a locked value that is another one when the call runs', () => {
  const switchTo = (id: string) =>
    stateTool('switch', (ctx: StateCtx) => {
      (ctx.state as unknown as { set: (field: 'customer', value: object) => void }).set(
        'customer',
        {
          id,
          tags: [],
        },
      );
      return {};
    });

  async function switched(id: string) {
    const { lookup: one, ran } = lookupTool({ parallel: false });
    const both = {
      toolCalls: [
        { name: 'switch', input: {} },
        { name: 'lookup', input: {} },
      ],
    };
    const tools = [switchTo(id), one];
    const desk = lockDesk({ script: [both, lookup(), 'done'], tools });
    await desk.run();
    const read = desk.model.requests[1]?.messages ?? [];
    return { ran, result: read.flatMap(toolResultsOf)[1] };
  }

  test('by a call beside it: the call is not run, and made anew it is judged with the new one', async () => {
    const { ran, result } = await switched('other');
    expect(result).toMatchObject({ outcome: 'invalid', output: { error: CHANGED } });
    expect(ran).toEqual([{ customer_id: 'other' }]);
  });

  test('by a call beside it, to what it was: the call runs', async () => {
    const { ran, result } = await switched(SECRET);
    expect(result).toMatchObject({ outcome: 'succeeded' });
    expect(ran).toHaveLength(2);
  });

  /** A call that waits for a yes, and what became of it when the run that takes that knows other facts. */
  async function resumedWith(session: JsonObject | undefined) {
    const { lookup: one, ran } = lookupTool({
      tier: 'confirm',
      sideEffects: 'once',
      locked: { customer_id: '{{session.id}}' },
    });
    const desk = lockDesk({ script: [lookup(), 'done'], tools: [one] });
    await desk.run({}, { session: { id: SECRET } });
    const [approval] = await desk.store.pendingApprovals({ threadId: 't' });
    const answers = [{ approvalId: approval?.approvalId ?? '', approved: true, by: 'ann' }];
    await desk.agent.resume({ threadId: 't', answers, ...(session && { session }) });
    return { ran, output: desk.outputs()[0] };
  }

  test('on resume: what was approved runs with what it was approved with', async () => {
    expect((await resumedWith({ id: SECRET })).ran).toEqual([{ customer_id: SECRET }]);
  });

  test('on resume: with another value nothing of it runs', async () => {
    const { ran, output } = await resumedWith({ id: 'other' });
    expect(ran).toEqual([]);
    expect(output).toBe(
      'Blocked: at resume: what the conversation fills into it has changed since it was approved',
    );
  });

  test('on resume: without one the call is refused', async () => {
    const { ran, output } = await resumedWith(undefined);
    expect(ran).toEqual([]);
    expect(output).toEqual({ refused: expect.stringContaining('session.id') });
  });

  test('an approver edits what is shown, and nothing else', async () => {
    const { lookup: one, ran } = lookupTool({ tier: 'confirm', sideEffects: 'once' });
    const desk = lockDesk({ script: [lookup({ order: 'A' }), 'done'], tools: [one] });
    await desk.run();
    const resume = async (input: object) => {
      const [approval] = await desk.store.pendingApprovals({ threadId: 't' });
      const approvalId = approval?.approvalId ?? '';
      const answers = [{ approvalId, approved: true, by: 'ann', input: input as never }];
      return desk.agent.resume({ threadId: 't', answers });
    };
    await expect(resume({ order: 7 })).rejects.toThrow('the edited input does not fit');
    await resume({ order: 'B', customer_id: 'evil' });
    expect(ran).toEqual([{ customer_id: SECRET, order: 'B' }]);
  });
});

describe('a process that ends before a locked call has run', () => {
  function disk(): { readonly store: ThreadStore; readonly pass: () => void } {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const pass = () => {
      now += 60_000;
    };
    return { store, pass };
  }
  const first = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.at(-1)?.role === 'tool' ? 'done' : lookup({ order: 'A' });

  async function crashed(session: object, hooks: Parameters<typeof lockDesk>[0]['hooks'] = []) {
    const { store, pass } = disk();
    const options = {
      sideEffects: 'idempotent',
      tier: 'auto',
      locked: { customer_id: '{{session.id}}' },
    };
    const before = lookupTool(options);
    const script = Array.from({ length: 4 }, () => first as never);
    const dead = lockDesk({ script, tools: [before.lookup], hooks, store: dyingStore(store, 2) });
    await dead.run({}, { session: { id: SECRET } }).catch((error: unknown) => error);
    expect((await store.load('t'))?.state['phase']).toMatchObject({ name: 'running' });
    expect(JSON.stringify((await store.load('t'))?.state)).not.toContain(SECRET);
    pass();
    const after = lookupTool(options);
    const desk = lockDesk({ script, tools: [after.lookup], hooks, store });
    await desk.agent.resume({ threadId: 't', session } as never);
    return { ran: after.ran, output: desk.outputs()[0] };
  }

  test('another one runs it with the same values', async () => {
    const { ran } = await crashed({ id: SECRET });
    expect(ran).toEqual([{ customer_id: SECRET, order: 'A' }]);
  });

  test('and with no others, as nobody has judged those', async () => {
    const { ran, output } = await crashed({ id: 'other' });
    expect(ran).toEqual([]);
    // Nothing says that the process that ended has not run it.
    expect(output).toEqual(UNKNOWN);
  });

  test('nor without them', async () => {
    const { ran, output } = await crashed({});
    expect(ran).toEqual([]);
    expect(output).toEqual(UNKNOWN);
  });

  test('policies around the call are never shown it with other values', async () => {
    const seen: unknown[] = [];
    const around = defineHooks<unknown, LockState>({
      name: 'around',
      wrapToolUse: (one, next) => {
        seen.push(one.effectiveInput);
        return next(one);
      },
    });
    const { ran } = await crashed({ id: 'other' }, [around]);
    expect(ran).toEqual([]);
    expect(seen).toEqual([{ customer_id: SECRET, order: 'A' }, { order: 'A' }]);
  });

  test('policies around the call and after it see the whole', async () => {
    const seen: unknown[] = [];
    const hooks = [
      defineHooks<unknown, LockState>({
        name: 'around',
        preToolUse: () => ToolDecision.allow(),
        wrapToolUse: (one, next) => {
          seen.push(one.effectiveInput);
          return next(one);
        },
        postToolUse: (one) => {
          seen.push(one.effectiveInput);
          return undefined;
        },
      }),
    ];
    await crashed({ id: SECRET }, hooks);
    const whole = { customer_id: SECRET, order: 'A' };
    expect(seen).toEqual([whole, whole, whole, whole].slice(0, seen.length));
    expect(seen.length).toBeGreaterThanOrEqual(2);
  });
});

test('what a tool changes by itself is not what policies read of its call afterwards', async () => {
  const seen: unknown[] = [];
  const hooks = [
    defineHooks<unknown, LockState>({
      name: 'after',
      postToolUse: (one) => {
        seen.push(one.effectiveInput['customer_id']);
        return undefined;
      },
    }),
  ];
  const { lookup: one } = lookupTool({
    execute: (_: unknown, ctx: StateCtx) => {
      (ctx.state as unknown as { set: (field: string, value: unknown) => void }).set(
        'customer',
        null,
      );
      return {};
    },
  });
  const desk = lockDesk({ script: [lookup(), 'done'], tools: [one], hooks });
  await desk.run({ customer });
  expect(seen).toEqual([SECRET]);
});
