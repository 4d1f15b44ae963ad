import {
  agentTool,
  createAgent,
  memoryStore,
  scriptedModel,
  type ToolContext,
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
