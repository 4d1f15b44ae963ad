import { defineHooks, hostTool, ToolDecision, transcript } from 'agent-hooks';
import { ask, toolInvocation } from 'agent-hooks/testing';
import { toolSet } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { service, webhook } from '../tools/webhook/service.ts';
import { customer, lockDesk, lookupTool, SECRET, storedText } from './lock-desk.ts';

describe('a tool that the host runs', () => {
  const pickTool = (more: object = {}) =>
    hostTool({
      name: 'pick',
      description: 'Picks',
      inputSchema: z.object({ id: z.string(), order: z.string(), history: z.unknown() }),
      sideEffects: 'none',
      locked: { id: '{{customer.id}}', history: transcript({ text: true }) },
      ...more,
    });
  const pick = { toolCalls: [{ name: 'pick', input: { order: 'A', id: 'evil' } }] };

  test('is handed the whole input, however often it is listed, and nothing of it is stored', async () => {
    const desk = lockDesk({ script: [pick, 'done'], tools: [pickTool()] });
    const waiting = await desk.run();
    if (waiting.status !== 'awaiting-tools') throw new Error(waiting.status);
    const input = { order: 'A', id: SECRET, history: 'user: go' };
    expect(waiting.calls[0]?.input).toEqual(input);
    const again = await desk.agent.resume({ threadId: 't' });
    expect(again.status === 'awaiting-tools' && again.calls[0]?.input).toEqual(input);
    expect(await storedText(desk.store)).not.toContain(SECRET);
    expect(JSON.stringify(desk.heard)).not.toContain(SECRET);
    const results = [{ callId: waiting.calls[0]?.callId ?? '', output: 'picked' }];
    expect((await desk.agent.submitToolResults({ threadId: 't', results })).status).toBe(
      'completed',
    );
  });

  test('is not handed out where its precheck has an outcome, which is asked once', async () => {
    let asked = 0;
    const precheck = () => {
      asked += 1;
      return asked === 1 ? 'no need' : null;
    };
    const desk = lockDesk({ script: [pick, pick, 'done'], tools: [pickTool({ precheck })] });
    const waiting = await desk.run();
    if (waiting.status !== 'awaiting-tools') throw new Error(waiting.status);
    expect(desk.outputs()).toEqual(['no need']);
    const results = [{ callId: waiting.calls[0]?.callId ?? '', output: 'picked' }];
    await desk.agent.submitToolResults({ threadId: 't', results });
    expect(asked).toBe(2);
    expect(desk.outputs()).toEqual(['no need', 'picked']);
  });
});

describe('a set of tools without an agent', () => {
  test('fills locks from what is passed with the call, and replaces what the caller says', async () => {
    const { lookup, ran } = lookupTool();
    const set = toolSet([lookup]);
    const state = { get: () => customer, set: () => undefined } as never;
    const args = { customer_id: 'evil', order: 'A' };
    expect(await set.run('lookup', args, { state })).toMatchObject({ outcome: 'succeeded' });
    expect(ran).toEqual([{ customer_id: SECRET, order: 'A' }]);
  });

  test('refuses what it has no value for', async () => {
    const { lookup, ran } = lookupTool();
    expect(await toolSet([lookup]).run('lookup', { customer_id: 'evil' })).toMatchObject({
      outcome: 'invalid',
      forModel: { refused: expect.stringContaining('customer.id') },
    });
    const { lookup: other } = lookupTool({ locked: { customer_id: '{{session.id}}' } });
    const session = { id: SECRET };
    expect(await toolSet([other]).run('lookup', {}, { session })).toMatchObject({
      outcome: 'succeeded',
    });
    expect(ran).toEqual([]);
  });

  test('U-F13: asks prechecks, whose outcome ends nothing', async () => {
    const { lookup, ran } = lookupTool({
      locked: {},
      inputSchema: z.object({}),
      precheck: () => ({ found: 0 }),
      endsConversation: true,
    });
    const done = await toolSet([lookup]).run('lookup', {});
    expect(done).toMatchObject({ outcome: 'succeeded', result: { found: 0 } });
    expect(done).not.toHaveProperty('endsConversation');
    expect(ran).toEqual([]);
  });
});

test('U-M14: a test of one policy is told what an agent would make of its rewrite', async () => {
  const { lookup } = lookupTool();
  const call = toolInvocation(lookup as never, { customer_id: SECRET, order: 'A' } as never);
  const change = defineHooks({
    name: 'change',
    preToolUse: () => ToolDecision.modify({ customer_id: 'other', order: 'B' }),
  });
  expect(await ask(change).preToolUse(call)).toMatchObject({
    value: { effectiveInput: { customer_id: SECRET, order: 'B' } },
  });
});

describe('a webhook', () => {
  const noteTool = async (more: object = {}) => {
    const { origin, requests } = await service();
    const note = webhook({
      url: `${origin}/customers/{{input.id}}`,
      inputSchema: z.object({ id: z.string(), text: z.string() }),
      sideEffects: 'none',
      tier: 'auto',
      locked: { id: '{{customer.id}}' },
      ...more,
    } as never);
    const script = [
      { toolCalls: [{ name: note.name, input: { text: 'hi', id: 'evil' } }] },
      'done',
    ];
    return { requests, desk: lockDesk({ script, tools: [note as never] }) };
  };

  test('is sent what the engine fills in, also in its address', async () => {
    const { requests, desk } = await noteTool();
    await desk.run();
    expect(requests[0]?.url).toBe(`/customers/${SECRET}`);
    expect(JSON.parse(String(requests[0]?.body))).toEqual({ id: SECRET, text: 'hi' });
    expect(await storedText(desk.store)).not.toContain(SECRET);
  });

  test('U-M10, U-H2: sends nothing without it, or with one that does not fit', async () => {
    const unset = await noteTool();
    await unset.desk.run({});
    expect(unset.desk.outputs()).toEqual([{ refused: expect.stringContaining('customer.id') }]);
    const misfit = await noteTool({ locked: { id: '{{raw}}' } });
    await misfit.desk.run({ raw: 7 });
    expect(misfit.desk.outputs()).toEqual([{ error: expect.stringContaining('id: the value') }]);
    expect([...unset.requests, ...misfit.requests]).toEqual([]);
  });

  test('U-L5: nor where its precheck has an outcome', async () => {
    const { requests, desk } = await noteTool({ precheck: () => ({ known: true }) });
    await desk.run();
    expect(desk.outputs()).toEqual([{ known: true }]);
    expect(requests).toEqual([]);
  });

  test('U-O18: a name in the query of its address cannot be locked as well', async () => {
    const { origin } = await service();
    const both = () =>
      webhook({
        url: `${origin}/x?id=1`,
        method: 'GET',
        inputSchema: z.object({ id: z.string() }),
        locked: { id: 'x' },
      } as never);
    expect(both).toThrow("the argument 'id' is also a name in the query");
  });
});
