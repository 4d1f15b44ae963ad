import {
  createAgent,
  defineHooks,
  type HostCall,
  hostTool,
  type JsonObject,
  memoryStore,
  type RunResult,
  scriptedModel,
  type Tool,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lockDesk, SECRET } from './lock-desk.ts';
import { type StateCtx, stateTool } from './state-desk.ts';

const pick = hostTool({
  name: 'pick',
  description: 'Picks',
  inputSchema: z.object({ id: z.string(), order: z.string() }),
  tier: 'auto',
  locked: { id: '{{customer.id}}' },
});

const switchTo = (id: string) =>
  stateTool('switch', (ctx: StateCtx) => {
    const state = ctx.state as unknown as { set: (field: 'customer', value: object) => void };
    state.set('customer', { id, tags: [] });
    return {};
  });

describe('a call of the host beside one that changes what is filled into it', () => {
  async function beside(id: string, hooks: Parameters<typeof lockDesk>[0]['hooks'] = []) {
    const calls = [
      { name: 'pick', input: { order: 'A' } },
      { name: 'switch', input: {} },
    ];
    const script = [{ toolCalls: calls }, { toolCalls: calls.slice(0, 1) }, 'done'];
    const judged: JsonObject[] = [];
    const look = defineHooks({
      name: 'look',
      preToolUse: ({ toolName, effectiveInput }) =>
        void (toolName === 'pick' && judged.push(effectiveInput)),
    });
    const tools = [pick, switchTo(id)];
    const desk = lockDesk({ script, tools, hooks: [look as never, ...hooks] });
    const result = await desk.run();
    const handed = result.status === 'awaiting-tools' ? result.calls.map(({ input }) => input) : [];
    return { desk, judged, handed };
  }

  const around = defineHooks({ name: 'around', wrapToolUse: (call, next) => next(call) }) as never;

  test.each([
    ['', []],
    [', with a policy around it', [around]],
  ])('is not handed out with what nobody has judged%s', async (_with, hooks) => {
    const { desk, judged, handed } = await beside('other', hooks);
    const [first] = (desk.model.requests[1]?.messages ?? []).flatMap(toolResultsOf);
    expect(first).toMatchObject({
      outcome: 'invalid',
      output: { error: expect.stringContaining('has changed since the call was judged') },
    });
    // Made anew, it is judged with the new value, and handed out with that.
    expect(judged.map(({ id }) => id)).toEqual([SECRET, 'other']);
    expect(handed).toEqual([{ id: 'other', order: 'A' }]);
  });

  test('is handed out where it is what it was', async () => {
    const { judged, handed } = await beside(SECRET);
    expect(handed).toEqual(judged);
  });
});

describe('calls of the host that are listed again after a deploy', () => {
  const stateSchema = z.object({ owner: z.string().optional(), other: z.string().optional() });
  const base = {
    name: 'pick',
    inputSchema: z.object({ id: z.string(), order: z.string() }),
    tier: 'auto',
  } as const;
  const before = hostTool({ ...base, locked: { id: '{{owner}}' } });
  const fixed = hostTool({ ...base, locked: { id: 'nobody judged this' } });

  /** A call is listed, and the process that goes on has other tools. */
  async function deployed(after: readonly Tool[], calls: number, sideEffects = 'once') {
    const store = memoryStore();
    const input = { id: 'from the model', order: 'A' };
    const toolCalls = Array.from({ length: calls }, (_, at) => ({
      name: at === 0 ? 'pick' : 'plain',
      input: at === 0 ? input : {},
    }));
    const model = scriptedModel([{ toolCalls }, 'done']);
    const plain = hostTool({ name: 'plain', inputSchema: z.object({}), sideEffects: 'none' });
    const agentWith = (tools: readonly Tool[]) =>
      createAgent({ name: 'desk', model, store, stateSchema, tools: [...tools, plain] as never });
    const state = { owner: SECRET, other: 'theirs' };
    const old = agentWith([Object.freeze({ ...before, sideEffects }) as Tool]);
    const first = await old.run({ threadId: 't', message: 'go', state });
    const agent = agentWith(after);
    const again = await agent.resume({ threadId: 't' });
    const read = () => (model.requests[1]?.messages ?? []).flatMap(toolResultsOf);
    return { first: listed(first), again: listed(again), agent, read };
  }
  const listed = (result: RunResult) => {
    expect(result.status).toBe('awaiting-tools');
    return result.status === 'awaiting-tools' ? result.calls : [];
  };
  const of = ({ callId, idempotencyKey }: HostCall) => ({ callId, idempotencyKey, output: 'ok' });

  test.each([
    ['another field', hostTool({ ...base, locked: { id: '{{other}}' } })],
    ['a value of its own', fixed],
    ['nothing any more', hostTool(base)],
    ['one argument more', hostTool({ ...base, locked: { id: '{{owner}}', order: 'B' } })],
    ['gone', undefined],
  ])('a lock that is now %s hands out nothing that nobody judged', async (_now, tool) => {
    const tools = tool === undefined ? [] : [tool as Tool];
    const { first, again, agent, read } = await deployed(tools, 2);
    expect(first.map(({ input }) => input)).toEqual([{ id: SECRET, order: 'A' }, {}]);
    expect(again.map(({ toolName }) => toolName)).toEqual(['plain']);
    const done = await agent.submitToolResults({ threadId: 't', results: again.map(of) });
    expect(done.status).toBe('completed');
    expect(read().map(({ outcome }) => outcome)).toEqual(['unknown', 'succeeded']);
  });

  test('a call that may run twice is told to be made anew, and an empty list is submitted as such', async () => {
    const { again, agent, read } = await deployed([fixed as Tool], 1, 'none');
    expect(again).toEqual([]);
    expect((await agent.submitToolResults({ threadId: 't', results: [] })).status).toBe(
      'completed',
    );
    expect(read()).toMatchObject([
      {
        outcome: 'invalid',
        output: { error: expect.stringMatching(/has changed.*Make the call anew/) },
      },
    ]);
  });

  test('a host that ran it as it was judged still has its result taken', async () => {
    const { first, agent, read } = await deployed([fixed as Tool], 2);
    const results = first.map(of);
    const forged = results.map((one) => ({ ...one, idempotencyKey: 'of another thread' }));
    await expect(agent.submitToolResults({ threadId: 't', results: forged })).rejects.toMatchObject(
      { code: 'tool-result-foreign' },
    );
    await agent.submitToolResults({ threadId: 't', results });
    expect(read().map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
  });

  test('the same lock in another process lists it as before', async () => {
    const same = hostTool({ ...base, locked: { id: '{{owner}}' } });
    const { first, again, agent } = await deployed([same as Tool], 2);
    expect(again).toEqual(first);
    await expect(agent.submitToolResults({ threadId: 't', results: [] })).rejects.toMatchObject({
      name: 'ToolResultError',
    });
  });
});
