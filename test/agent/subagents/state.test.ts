import {
  agentTool,
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  type ToolContext,
  ToolDecision,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { askFirst, callThen, often, outputsOf, yesTo } from './team.ts';

const stateSchema = z.object({ seen: z.number().optional() });

type Schema = z.ZodObject<{ seen: z.ZodOptional<z.ZodNumber | z.ZodString> }>;

const see = tool({
  name: 'see',
  description: 'd',
  inputSchema: z.object({ count: z.number() }),
  sideEffects: 'none',
  execute: ({ count }, ctx: ToolContext) => {
    ctx.state.set('seen', count);
    return ctx.state.get('seen') ?? null;
  },
});

const callSee = (count: number) => ({ name: 'see', input: { count } });
const callClerk = { name: 'clerk', input: { task: 'look' } };

function desks(schemaOfClerk: Schema = stateSchema, store = memoryStore()) {
  const pay = tool({
    name: 'pay',
    description: 'd',
    inputSchema: z.object({}),
    tier: 'auto',
    execute: () => 'paid',
  });
  const clerk = createAgent({
    name: 'clerk',
    model: scriptedModel([
      { toolCalls: [callSee(2)] },
      { toolCalls: [{ name: 'pay', input: {} }] },
      'clerk: done',
    ]),
    tools: [see, pay],
    hooks: [askFirst],
    stateSchema: schemaOfClerk,
  });
  const desk = createAgent({
    name: 'desk',
    model: scriptedModel(often(callThen('desk: done', callSee(1), callClerk))),
    tools: [see, agentTool(clerk, { name: 'clerk', description: 'd' })],
    stateSchema,
    store,
  });
  return { desk, store };
}

describe('the values of a thread, beside a subagent', () => {
  test('are its own, and what a sibling wrote is stored while the subagent waits', async () => {
    const { desk, store } = desks();
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect((await store.load('t'))?.state).toMatchObject({
      phase: { name: 'awaiting-child' },
      values: { seen: 1 },
    });
    const result = await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(result).toMatchObject({ status: 'completed', state: { seen: 1 } });
    expect((await store.load('t/1.1.1'))?.state['values']).toEqual({ seen: 2 });
  });

  test('that no longer fit leave no subagent behind: it is ended, and its call says so', async () => {
    const { desk, store } = desks();
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const changed = desks(z.object({ seen: z.string().optional() }), store).desk;
    const result = await changed.resume({ threadId: 't', answers: yesTo(paused) });
    expect(result.status).toBe('completed');
    expect(outputsOf(result)).toEqual([1, expect.stringMatching(/^Outcome unknown/)]);
    expect((await store.load('t/1.1.1'))?.state['phase']).toMatchObject({
      name: 'finished',
      outcome: { status: 'cancelled' },
    });
    expect(await desk.pendingApprovals()).toEqual([]);
  });
});

/** Spends up to what the state of the thread leaves; `limit` reads it above the subagent that spends. */
function spenders(where: 'above' | 'below') {
  const log: number[] = [];
  const spend = tool({
    name: 'spend',
    description: 'd',
    inputSchema: z.object({ euros: z.number() }),
    tier: 'auto',
    execute: ({ euros }) => void log.push(euros),
  });
  const seen: unknown[] = [];
  const limit = defineHooks<unknown, { readonly left: number }>({
    name: 'limit',
    preToolUse: (call, { state, agentPath }) => {
      if (!spend.matches(call)) return undefined;
      seen.push([...agentPath, { ...state }]);
      return call.effectiveInput.euros > state.left ? ToolDecision.block('too much') : undefined;
    },
  });
  const calls = [
    { name: 'spend', input: { euros: 30 } },
    { name: 'spend', input: { euros: 5 } },
  ];
  const clerkSchema = z.object({ left: z.number().default(1000) });
  const clerk = createAgent({
    name: 'clerk',
    model: scriptedModel(often(callThen('clerk: done', ...calls))),
    tools: [spend],
    stateSchema: clerkSchema,
    hooks: where === 'below' ? [limit] : [],
  });
  const office = createAgent({
    name: 'office',
    model: scriptedModel(often(callThen('office: done', callClerk))),
    tools: [agentTool(clerk, { name: 'clerk', description: 'd' })],
  });
  const desk = createAgent({
    name: 'desk',
    model: scriptedModel(
      often(callThen('desk: done', { name: 'office', input: { task: 'spend' } })),
    ),
    tools: [agentTool(office, { name: 'office', description: 'd' })],
    stateSchema: z.object({ left: z.number().default(10) }),
    hooks: where === 'above' ? [limit] : [],
  });
  return { desk, log, seen };
}

describe('the state that a policy reads in a subagent', () => {
  test('is that of its own thread for a policy from above, however far below it is asked', async () => {
    const { desk, log, seen } = spenders('above');
    await desk.run({ threadId: 't', message: 'go', state: { left: 20 } });
    expect(seen).toEqual([
      ['desk', 'office', { left: 20 }],
      ['desk', 'office', { left: 20 }],
    ]);
    expect(log).toEqual([5]);
  });

  test("is that of the subagent's thread for a policy of its own: there the limit above does not count", async () => {
    const { desk, log, seen } = spenders('below');
    await desk.run({ threadId: 't', message: 'go', state: { left: 20 } });
    expect(seen).toEqual([
      ['desk', 'office', { left: 1000 }],
      ['desk', 'office', { left: 1000 }],
    ]);
    expect(log).toEqual([30, 5]);
  });

  test('is what calls beside the subagent have written by then', async () => {
    const log: unknown[] = [];
    const count = tool({
      name: 'count',
      description: 'd',
      inputSchema: z.object({}),
      sideEffects: 'none',
      execute: (_input, ctx: ToolContext<unknown, { seen?: number | undefined }>) => {
        ctx.state.set('seen', 7);
        return null;
      },
    });
    const look = tool({
      name: 'look',
      description: 'd',
      inputSchema: z.object({}),
      sideEffects: 'none',
      execute: () => null,
    });
    const clerk = createAgent({
      name: 'clerk',
      model: scriptedModel(often(callThen('done', { name: 'look', input: {} }))),
      tools: [look],
    });
    const desk = createAgent({
      name: 'desk',
      model: scriptedModel(often(callThen('done', { name: 'count', input: {} }, callClerk))),
      tools: [count, agentTool(clerk, { name: 'clerk', description: 'd' })],
      stateSchema: z.object({ seen: z.number().optional() }),
      hooks: [
        defineHooks({
          name: 'watch',
          preToolUse: ({ toolName }, { state }) => void log.push(`${toolName}: ${state['seen']}`),
        }),
      ],
    });
    await desk.run({ message: 'go' });
    expect(log).toEqual(['count: undefined', 'clerk: undefined', 'look: 7']);
  });
});
