import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AgentEvent,
  createAgent,
  defineHooks,
  type JsonValue,
  type ModelRequest,
  memoryStore,
  scriptedModel,
  ToolDecision,
  ToolError,
  tool,
} from '../../src/index.ts';
import { Accepted } from '../../src/tools/done.ts';
import { toolSet } from '../../src/tools/tool-set.ts';
import { service, webhook } from '../tools/webhook/service.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus, MODES, play, sleep } from './play.ts';

const call = (...names: readonly string[]) => ({ toolCalls: names.map((name) => ({ name })) });

/** The events of tools without their stamp, which every event has. */
function toolEvents(heard: readonly AgentEvent[]) {
  return heard
    .filter(({ type }) => type.startsWith('tool.') && type !== 'tool.called')
    .map(({ threadId: _t, turnId: _u, step: _s, at: _a, seq: _q, ...body }) => body);
}

const anyMs = expect.any(Number);

describe.each(MODES)('%s', (mode) => {
  test('U-T2, U-T3, U-T9: of a call that works, what, by whom and how long; nothing else', async () => {
    const model = scriptedModel([call('look'), 'done']);
    const played = await play(mode, { model, tools: [counted('look').tool] });
    const about = { callId: '1.1.0', toolName: 'look', source: 'model' };
    expect(toolEvents(played.heard)).toStrictEqual([
      { type: 'tool.started', ...about },
      { type: 'tool.succeeded', ...about, durationMs: anyMs },
    ]);
  });

  test('U-T4: of one that fails also why, without a value', async () => {
    const fail = counted('look', {
      execute: () => {
        throw new ToolError('the words for the model', { eventText: 'no seats' });
      },
    });
    const played = await play(mode, {
      model: scriptedModel([call('look'), 'done']),
      tools: [fail.tool],
    });
    expect(toolEvents(played.heard).at(-1)).toStrictEqual({
      type: 'tool.failed',
      callId: '1.1.0',
      toolName: 'look',
      source: 'model',
      durationMs: anyMs,
      outcome: 'failed',
      reason: 'no seats',
    });
  });

  test('U-T5: of one that is refused exactly one, and no start before it', async () => {
    const gate = defineHooks({ name: 'gate', preToolUse: () => ToolDecision.block('not today') });
    const model = scriptedModel([call('look'), 'done']);
    const played = await play(mode, { model, tools: [counted('look').tool], hooks: [gate] });
    expect(toolEvents(played.heard)).toStrictEqual([
      {
        type: 'tool.refused',
        callId: '1.1.0',
        toolName: 'look',
        source: 'model',
        outcome: 'blocked',
        by: 'gate',
        reason: 'not today',
      },
    ]);
  });

  test('U-T6, U-T7: a refused save and a line of code say by whom the tool ran', async () => {
    const stateSchema = z.object({ visits: z.number().max(3).default(0) });
    const look = tool({
      name: 'look',
      inputSchema: z.object({}),
      sideEffects: 'none',
      outputSchema: z.object({ visits: z.number() }),
      assign: [{ field: 'visits', path: ['visits'] }],
      replies: [{ say: ['You are welcome.'] }],
      execute: () => ({ visits: 4 }),
    });
    const model = scriptedModel([call('look'), 'done']);
    const played = await play(mode, { model, tools: [look], stateSchema });
    const about = { callId: '1.1.0', toolName: 'look', source: 'model' };
    expect(ofType(played.heard, 'tool.save-refused')).toMatchObject([
      { ...about, field: 'visits', reason: expect.any(String) },
    ]);
    expect(ofType(played.heard, 'tool.replied')).toMatchObject([about]);
  });

  test('U-T11: a cancelled call ends as failed, and says so', async () => {
    const abort = new AbortController();
    const look = counted('look', {
      sideEffects: 'none',
      execute: async () => {
        abort.abort();
        await sleep(5);
      },
    });
    const scene = { model: scriptedModel([call('look'), 'done']), tools: [look.tool] };
    const played = await play(mode, scene, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    expect(toolEvents(played.heard).slice(1)).toStrictEqual([
      {
        type: 'tool.failed',
        callId: '1.1.0',
        toolName: 'look',
        source: 'model',
        durationMs: anyMs,
        outcome: 'cancelled',
      },
    ]);
  });
});

test('U-T8: of what the model gives a tool only tool.called tells, also where a fault of it quotes the value', async () => {
  const quotes = z.string().refine((text) => !text.endsWith('bad'), {
    error: ({ input }) => `nobody takes ${String(input)}`,
  });
  const look = tool({
    name: 'look',
    inputSchema: z.object({ id: quotes, more: z.string().optional() }),
    sideEffects: 'none',
    announce: 'Looking.',
    execute: ({ id }) => {
      if (id.endsWith('fails')) throw new ToolError(`No order ${id}`);
      return { id };
    },
  });
  const inputs = [{ id: 'SECRET' }, { id: 'SECRET-fails' }, { id: 'SECRET-bad' }, { id: 7 }];
  const odd = [{ id: 'SECRET', extra: 'SECRET' }, { more: 'SECRET' }, { id: ' ', more: 'SECRET' }];
  const toolCalls = [...inputs, ...odd].map((input) => ({ name: 'look', input }));
  const model = scriptedModel([{ toolCalls }, 'done']);
  const { heard } = await play('run', { model, tools: [look] });
  expect(ofType(heard, 'tool.called')).toHaveLength(7);
  const others = heard.filter(({ type }) => type !== 'tool.called');
  expect(others.filter(({ type }) => type.startsWith('tool.'))).not.toEqual([]);
  expect(JSON.stringify(others)).not.toContain('SECRET');
});

test('U-A1: the threads of an agent share its tools, and each call reads its own thread', async () => {
  const stateSchema = z.object({ customer: z.number().default(0) });
  const seen: unknown[] = [];
  const look = tool({
    name: 'look',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: async (_input, ctx) => {
      await sleep(5);
      seen.push([ctx.threadId, ctx.session, ctx.state.get('customer' as never)]);
      return null;
    },
  });
  const answer = (request: ModelRequest) =>
    request.messages.at(-1)?.role === 'tool' ? 'done' : call('look');
  const model = scriptedModel([answer, answer, answer, answer]);
  const agent = createAgent({ name: 'a', model, tools: [look], stateSchema });
  const talk = (threadId: string, customer: number, session: JsonValue) =>
    agent.run({ threadId, message: 'go', state: { customer }, session });
  await Promise.all([talk('one', 7, { id: 'x' }), talk('two', 9, { id: 'y' })]);
  expect(seen.toSorted()).toEqual([
    ['one', { id: 'x' }, 7],
    ['two', { id: 'y' }, 9],
  ]);
});

test('U-A3: a tool that uses neither state nor policies needs none, in an agent and by itself', async () => {
  const look = counted('look', { sideEffects: 'none', execute: () => ({ seats: 2 }) });
  const model = scriptedModel([call('look'), 'done']);
  const bare = createAgent({ name: 'a', model, tools: [look.tool], store: memoryStore() });
  expectStatus(await bare.run({ message: 'go' }), 'completed');
  expect(await toolSet([look.tool]).call('look', {})).toEqual({ seats: 2 });
  expect(look.inputs).toHaveLength(2);
});

test('U-A5: the policies of the agent judge the call, and its end waits for the send', async () => {
  const judged: string[] = [];
  const gate = defineHooks({
    name: 'gate',
    preToolUse: ({ toolName }) => void judged.push(toolName),
  });
  let landed = 0;
  const { origin } = await service((_arrived, response) => {
    setTimeout(() => {
      landed += 1;
      response.end('{}');
    }, 150);
  });
  const note = webhook({
    url: origin,
    waitForResponse: false,
    outputSchema: Accepted,
    tier: 'auto',
    inputSchema: z.object({}),
  });
  const model = scriptedModel([call('note'), 'done']);
  const agent = createAgent({ name: 'a', model, tools: [note], hooks: [gate] });
  expectStatus(await agent.run({ threadId: 't', message: 'go' }), 'completed');
  expect([judged, landed]).toEqual([['note'], 0]);
  await agent.endThread('t', 'over');
  expect(landed).toBe(1);
});
