import {
  agentTool,
  createAgent,
  defineHooks,
  hostTool,
  memoryStore,
  scriptedModel,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { dyingStore } from '../loop/desk.ts';
import { callPay, callPrint, callScan, lastResults, shop, waitingCalls } from './host-desk.ts';

const batch = [callScan(), callPrint, callPay];

describe('a turn that ends while the host has its calls', () => {
  test('a cancel answers every open call, the one that may have run twice as unknown', async () => {
    const { agent, store } = shop({ script: [{ toolCalls: batch }, 'hi'] });
    await agent.run({ threadId: 't', message: 'go' });
    const ended = await agent.cancel('t');
    expect(ended).toMatchObject({ status: 'cancelled' });
    expect(lastResults(ended).map(({ outcome }) => outcome)).toEqual([
      'cancelled',
      'unknown',
      'succeeded',
    ]);
    const events = (await store.readEvents('t')).filter(({ type }) => type === 'turn.finished');
    expect(events).toHaveLength(1);
    const results = [{ callId: '1.1.0', output: { code: 'a' } }];
    await expect(agent.submitToolResults({ threadId: 't', results })).rejects.toMatchObject({
      code: 'nothing-to-continue',
    });
    expect(await agent.run({ threadId: 't', message: 'more' })).toMatchObject({ text: 'hi' });
  });

  test('a cancel while the other calls run hands nothing out', async () => {
    const controller = new AbortController();
    const stop = defineHooks({ name: 'stop', postToolUse: () => controller.abort() });
    const { agent } = shop({ script: [{ toolCalls: [callScan(), callPay] }], hooks: [stop] });
    const { signal } = controller;
    const ended = await agent.run({ threadId: 't', message: 'go', signal });
    expect(ended).toMatchObject({ status: 'cancelled' });
    expect(lastResults(ended).map(({ outcome }) => outcome)).toEqual(['cancelled', 'succeeded']);
  });

  test('a cancel while policies look at what the host did takes none of it back', async () => {
    const controller = new AbortController();
    const stop = defineHooks({ name: 'stop', postToolUse: () => controller.abort() });
    const script = [{ toolCalls: [callPrint, callPrint] }];
    const { agent, store } = shop({ script, hooks: [stop] });
    await agent.run({ threadId: 't', message: 'go' });
    const results = ['1.1.0', '1.1.1'].map((callId) => ({ callId, output: 'printed' }));
    const { signal } = controller;
    const ended = await agent.submitToolResults({ threadId: 't', results, signal });
    expect(ended).toMatchObject({ status: 'cancelled' });
    expect(lastResults(ended)).toMatchObject([{ output: 'printed' }, { output: 'printed' }]);
    expect(await store.readLedger('t', ['1.1.1'])).toMatchObject([
      { status: 'finished', result: { outcome: 'succeeded' } },
    ]);
  });

  test('a message is refused, and with supersede gives the calls up', async () => {
    const { agent, model } = shop({ script: [{ toolCalls: batch }, 'hi'] });
    await agent.run({ threadId: 't', message: 'go' });
    await expect(agent.run({ threadId: 't', message: 'well?' })).rejects.toMatchObject({
      code: 'pending-tools',
      callIds: ['1.1.0', '1.1.1'],
    });
    expect(model.requests).toHaveLength(1);
    const next = await agent.run({ threadId: 't', message: 'well?', supersede: true });
    expect(next).toMatchObject({ status: 'completed', text: 'hi' });
    const told = model.requests[1]?.messages.findLast(({ role }) => role === 'tool');
    expect(told).toMatchObject({
      content: [{ outcome: 'cancelled' }, { outcome: 'unknown' }, { outcome: 'succeeded' }],
    });
  });

  test('a crash at any commit of the message that gives the calls up leaves a thread that goes on', async () => {
    let now = 1_000;
    for (let commits = 0; commits <= 3; commits += 1) {
      const store = memoryStore({ now: () => now });
      const input = { threadId: 't', message: 'well?', supersede: true };
      await shop({ script: [{ toolCalls: batch }], store }).agent.run({ ...input, message: 'go' });
      const dying = shop({ script: ['hi'], store: dyingStore(store, commits) });
      await dying.agent.run(input).catch((error: unknown) => error);
      now += 60_000;
      const other = shop({ script: ['hi', 'hi'], store });
      expect(await other.agent.run(input)).toMatchObject({ status: 'completed', text: 'hi' });
      const ends = (await store.readEvents('t')).filter(({ type }) => type === 'turn.finished');
      expect(ends[0]).toMatchObject({ turnId: '1', status: 'cancelled' });
      expect(ends.filter(({ turnId }) => turnId === '1')).toHaveLength(1);
    }
  });

  test('a call is open for its results again after a crash at any commit', async () => {
    let now = 1_000;
    for (let commits = 1; commits <= 4; commits += 1) {
      const store = memoryStore({ now: () => now });
      const dying = shop({ script: [{ toolCalls: batch }], store: dyingStore(store, commits) });
      await dying.agent.run({ threadId: 't', message: 'go' });
      now += 60_000;
      const script = commits === 1 ? [{ toolCalls: batch }, 'done'] : ['done'];
      const other = shop({ script, store });
      const calls = waitingCalls(await other.agent.resume({ threadId: 't' }));
      expect(calls.map(({ toolName }) => toolName)).toEqual(['scan', 'print']);
      const results = [
        { callId: '1.1.0', output: { code: 'a' } },
        { callId: '1.1.1', output: 'printed' },
      ];
      const end = await other.agent.submitToolResults({ threadId: 't', results });
      expect(end).toMatchObject({ status: 'completed', text: 'done' });
      expect(lastResults(end)).toHaveLength(3);
    }
  });

  test('results that a crash lost are submitted again, or were stored', async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const one = shop({ script: [{ toolCalls: batch }], store });
    await one.agent.run({ threadId: 't', message: 'go' });
    const results = [
      { callId: '1.1.0', output: { code: 'a' } },
      { callId: '1.1.1', output: 'printed' },
    ];
    const dying = shop({ script: ['done'], store: dyingStore(store, 0) });
    const lost = await dying.agent
      .submitToolResults({ threadId: 't', results })
      .catch((error: unknown) => error);
    expect(lost).toMatchObject({ status: 'failed' });
    now += 60_000;
    const other = shop({ script: ['done'], store });
    const end = await other.agent.submitToolResults({ threadId: 't', results });
    expect(end).toMatchObject({ status: 'completed' });
  });

  test('a crash in the middle of taking results loses none of them', async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const script = [{ toolCalls: [callPrint, callPrint] }];
    const one = shop({ script, store });
    await one.agent.run({ threadId: 't', message: 'go' });
    const results = [
      { callId: '1.1.0', output: 'first' },
      { callId: '1.1.1', output: 'second' },
    ];
    // The first outcome is saved by itself; the commit of the whole batch fails.
    const dying = shop({ script: ['done'], store: dyingStore(store, 1) });
    await dying.agent.submitToolResults({ threadId: 't', results });
    now += 60_000;
    const other = shop({ script: ['done'], store });
    const end = await other.agent.resume({ threadId: 't' });
    expect(end).toMatchObject({ status: 'completed' });
    expect(lastResults(end)).toMatchObject([{ output: 'first' }, { output: 'second' }]);
  });
});

describe('below a subagent', () => {
  test('a call has no host, and the model of the subagent is told so', async () => {
    const scan = hostTool({ name: 'scan', inputSchema: z.object({}), sideEffects: 'none' });
    const below = scriptedModel([{ toolCalls: [{ name: 'scan', input: {} }] }, 'could not']);
    const child = createAgent({ name: 'child', model: below, tools: [scan] });
    const ask = agentTool(child, { name: 'child', description: 'Asks', tier: 'auto' });
    const model = scriptedModel([{ toolCalls: [{ name: 'child', input: { task: 'x' } }] }, 'ok']);
    const agent = createAgent({ name: 'top', model, tools: [ask] });
    expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({ text: 'ok' });
    const told = below.requests[1]?.messages.findLast(({ role }) => role === 'tool');
    expect(told).toMatchObject({ content: [{ outcome: 'failed', isError: true }] });
  });
});

describe('the declaration', () => {
  const base = { name: 'scan', inputSchema: z.object({}) };

  test.each([
    ['execute', () => 1],
    ['timeoutMs', 5],
    ['parallel', false],
  ])('`%s` is refused', (option, value) => {
    expect(() => hostTool({ ...base, [option]: value })).toThrow(
      expect.objectContaining({ code: 'invalid-tool' }),
    );
  });

  test('what any tool is refused for, this one is too', () => {
    expect(() => hostTool({ ...base, name: 'no good' })).toThrow(
      expect.objectContaining({ code: 'invalid-tool' }),
    );
    expect(() => hostTool(undefined as never)).toThrow(
      expect.objectContaining({ code: 'invalid-tool' }),
    );
  });

  test('a tool that says nothing asks a person first, as any does', async () => {
    const print = hostTool(base);
    const model = scriptedModel([{ toolCalls: [{ name: 'scan', input: {} }] }]);
    const agent = createAgent({ name: 'a', model, tools: [print] });
    expect(await agent.run({ message: 'go' })).toMatchObject({ status: 'awaiting-approval' });
  });

  test('its key is the one that a tool of the engine would be given', async () => {
    let key = '';
    const spy = tool({
      name: 'spy',
      inputSchema: z.object({}),
      sideEffects: 'none',
      execute: (_input, ctx) => {
        key = ctx.idempotencyKey;
      },
    });
    const scan = hostTool({ ...base, sideEffects: 'none' });
    const calls = ['spy', 'scan'].map((name) => ({ name, input: {} }));
    const model = scriptedModel([{ toolCalls: calls }]);
    const agent = createAgent({ name: 'a', model, tools: [spy, scan] });
    const [call] = waitingCalls(await agent.run({ message: 'go' }));
    expect(call?.idempotencyKey).toHaveLength(key.length);
    expect(call?.idempotencyKey).not.toBe(key);
  });
});
