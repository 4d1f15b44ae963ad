import { defineHooks, ToolResultDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { calls, order, orderTool, resultDesk } from './result-desk.ts';

const once = [calls('find_order'), 'Found.'];
const one = [{ field: 'order_number', path: ['order_id'] }];

describe('what of a result is saved', () => {
  test('U-K1: a part by its path, for the agent and for the tool', async () => {
    const ofAgent = resultDesk({ script: once, more: { assign: { find_order: one } } as object });
    expect((await ofAgent.run()).state).toMatchObject({ order_number: 'A-1' });
    const ofTool = resultDesk({ script: once, tools: [orderTool({ assign: one })] });
    expect((await ofTool.run()).state).toMatchObject({ order_number: 'A-1' });
    expect(ofTool.heard.find(({ type }) => type === 'state.changed')).toMatchObject({
      fields: ['order_number'],
    });
    const plain = resultDesk({ script: once });
    expect((await plain.run()).state).not.toHaveProperty('order_number');
  });

  test('U-K2: the whole of it with an empty path, as its schema wrote it', async () => {
    const { order_id, total } = order;
    const tools = [orderTool({ assign: [{ field: 'order', path: [] }] }, { order_id, total })];
    const { state } = await resultDesk({ script: once, tools }).run();
    expect(state).toMatchObject({ order: { order_id: 'A-1', status: 'held', total } });
  });

  test('a part below a part, and a part that is not there gives the field back to its default', async () => {
    const tools = [
      orderTool({ assign: [{ field: 'amount', path: ['total', 'amount'] }] }, () =>
        results.shift(),
      ),
    ];
    const results: unknown[] = [order, { order_id: 'B-2' }];
    const desk = resultDesk({ script: [...once, ...once], tools });
    expect((await desk.run()).state).toMatchObject({ amount: 20 });
    expect((await desk.run()).state).not.toHaveProperty('amount');
  });

  test('U-K3, U-K4: all or nothing; what is refused is told without its value, and the model reads the result', async () => {
    const rows = [...one, { field: 'amount', path: ['total', 'amount'] }];
    const costly = { ...order, total: { amount: 4711 } };
    const desk = resultDesk({ script: once, tools: [orderTool({ assign: rows }, costly)] });
    const result = await desk.run();
    expect(result).toMatchObject({ status: 'completed', text: 'Found.' });
    expect(result.state).toEqual({ order: null, vip: false });
    const refused = desk.heard.find(({ type }) => type === 'tool.save-refused');
    expect(refused).toMatchObject({
      callId: expect.any(String),
      toolName: 'find_order',
      field: 'amount',
      reason: 'its schema refuses the value (too_big)',
    });
    expect(JSON.stringify(desk.heard.filter(({ type }) => type !== 'message.user'))).not.toContain(
      '4711',
    );
    expect(JSON.stringify(desk.model.requests.at(-1)?.messages)).toContain('4711');
    const types = desk.types();
    expect(types.indexOf('tool.save-refused')).toBe(types.indexOf('tool.succeeded') + 1);
    expect(types).not.toContain('state.changed');
  });

  test.each([
    { ok: false, order_id: 'A-1' },
    { error: 'none', order_id: 'A-1' },
  ])('U-K25: nothing of a result that reports an error: %j', async (result) => {
    const desk = resultDesk({ script: once, tools: [orderTool({ assign: one }, result)] });
    expect((await desk.run()).state).not.toHaveProperty('order_number');
    expect(desk.types()).not.toContain('tool.save-refused');
  });

  test('nothing of a call that throws', async () => {
    const broken = orderTool({ assign: one }, () => {
      throw new Error('down');
    });
    expect((await resultDesk({ script: once, tools: [broken] }).run()).state).not.toHaveProperty(
      'order_number',
    );
  });

  test('U-K37: what the wraps gave, and not what postToolUse puts in its place', async () => {
    const tools = [orderTool({ assign: one })];
    const after = defineHooks({
      name: 'after',
      postToolUse: () => ToolResultDecision.modify({ output: { order_id: 'Z-9' } }),
    });
    const replaced = resultDesk({ script: once, tools, hooks: [after] });
    expect((await replaced.run()).state).toMatchObject({ order_number: 'A-1' });
    expect(JSON.stringify(replaced.model.requests.at(-1)?.messages)).toContain('Z-9');
    const around = defineHooks({
      name: 'around',
      wrapToolUse: async (invocation, next) => {
        const result = await next(invocation);
        return { ...result, output: { order_id: 'W-1' } };
      },
    });
    const wrapped = resultDesk({ script: once, tools, hooks: [around, after] });
    expect((await wrapped.run()).state).toMatchObject({ order_number: 'W-1' });
  });

  test('U-K25: nothing of what a wrap gave as a result that works and that reports an error', async () => {
    const around = defineHooks({
      name: 'around',
      wrapToolUse: async (invocation, next) => ({
        ...(await next(invocation)),
        output: { ok: false, order_id: 'W-1' },
      }),
    });
    const tools = [orderTool({ assign: one, replies: [{ say: 'Never.' }] })];
    const result = await resultDesk({ script: once, tools, hooks: [around] }).run();
    expect(result).toMatchObject({ text: 'Found.' });
    expect(result.state).not.toHaveProperty('order_number');
  });

  test('hidden fields are saved, and not shown', async () => {
    const tools = [orderTool({ assign: one, hidden: ['order_id'] })];
    const desk = resultDesk({ script: once, tools });
    expect((await desk.run()).state).toMatchObject({ order_number: 'A-1' });
    expect(JSON.stringify(desk.model.requests.at(-1)?.messages)).not.toContain('A-1');
  });

  test('of two rows for one field that of the agent counts', async () => {
    const tools = [orderTool({ assign: [{ field: 'name', path: ['status'] }] })];
    const assign = { find_order: [{ field: 'name', path: ['order_id'] }] } as object;
    const desk = resultDesk({ script: once, tools, more: { assign } as object });
    expect((await desk.run()).state).toMatchObject({ name: 'A-1' });
  });

  test('a result that a cancel comes after is saved: the tool did run', async () => {
    const tools = [orderTool({ assign: one })];
    const stop = new AbortController();
    const desk = resultDesk({
      script: once,
      tools,
      hooks: [defineHooks({ name: 'stop', postToolUse: () => stop.abort() as undefined })],
    });
    const { signal } = stop;
    const result = await desk.agent.run({ threadId: 't', message: 'go', signal });
    expect(result.status).toBe('cancelled');
    expect(result.state).toMatchObject({ order_number: 'A-1' });
  });
});
