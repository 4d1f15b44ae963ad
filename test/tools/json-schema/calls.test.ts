import { describe, expect, test } from 'vitest';
import { createAgent, type JsonObject, scriptedModel, toolResultsOf } from '../../../src/index.ts';
import { jsonSchema } from '../../../src/tools/json-schema.ts';
import { tool } from '../../../src/tools/tool.ts';

interface Order {
  readonly id: string;
  readonly lines?: number;
}
const inputSchema = jsonSchema<Order>({
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^A-[0-9]+$', format: 'order-id' },
    lines: { type: 'integer', minimum: 1 },
    size: { enum: ['small', 'large'] },
  },
  required: ['id'],
  additionalProperties: false,
});

function order(execute: (input: Order) => unknown = (input) => input, output = inputSchema) {
  return tool({
    name: 'order',
    description: 'Orders',
    inputSchema,
    outputSchema: output,
    sideEffects: 'none',
    execute: (input) => execute(input) as Order,
  });
}

/** What came of one call, and what the tool was given. */
async function called(input: JsonObject, made = order()) {
  const model = scriptedModel([{ toolCalls: [{ name: 'order', input }] }, 'ok']);
  const { messages } = await createAgent({ name: 'desk', model, tools: [made] }).run({
    message: 'go',
  });
  return messages.flatMap(toolResultsOf)[0];
}

describe('a tool with a hand-written schema', () => {
  test('runs a call that fits, with the value as it is', async () => {
    expect(await called({ id: 'A-1', lines: 2 })).toMatchObject({
      outcome: 'succeeded',
      output: { id: 'A-1', lines: 2 },
    });
  });

  test('U-U13: never runs one that does not, and every fault is named without its value', async () => {
    let runs = 0;
    const counting = order((input) => {
      runs += 1;
      return input;
    });
    const refused = { id: 'secret-9', lines: 0, size: 'huge-secret' };
    const result = await called(refused, counting);
    expect(result?.outcome).toBe('invalid');
    const text = JSON.stringify(result?.output);
    expect(text).toMatch(/id: must match pattern.*lines: must be >= 1/);
    expect(text).toContain('small');
    expect(text).not.toContain('secret');
    const extra = await called({ id: 'A-1', more: 1 }, counting);
    expect(JSON.stringify(extra?.output)).toContain('more is not an argument');
    expect(runs).toBe(0);
    expect(JSON.stringify((await called({ lines: 1 }, counting))?.output)).toContain('id');
  });

  test('B57, B67: null for what may be left out counts as left out', async () => {
    expect(await called({ id: 'A-1', lines: null })).toMatchObject({
      outcome: 'succeeded',
      output: { id: 'A-1' },
    });
    expect((await called({ id: null }))?.outcome).toBe('invalid');
  });

  test('shows the model the plainer copy', () => {
    expect(order().description.inputSchema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', description: expect.stringContaining("In the format 'order-id'.") },
        lines: { type: 'integer', minimum: 1 },
        size: { type: 'string', enum: ['small', 'large'] },
      },
      required: ['id'],
      additionalProperties: false,
    });
  });

  test('U-I10: cannot be built on one that refers to itself, though it can check with it', () => {
    const Tree = { type: 'object', properties: { sub: { $ref: '#/$defs/Tree' } } };
    const tree = jsonSchema<Order>({
      type: 'object',
      properties: { a: { $ref: '#/$defs/Tree' } },
      $defs: { Tree },
    });
    const build = () =>
      tool({ name: 'grow', description: '', inputSchema: tree, execute: () => null });
    expect(build).toThrow(/tool 'grow': the field 'a\.sub' leads back to 'Tree'/);
    expect(order((input) => input, tree).name).toBe('order');
  });

  test('checks what the tool returned, in the form the model reads', async () => {
    const day = jsonSchema<Order>({
      type: 'object',
      properties: { at: { type: 'string' } },
      required: ['at'],
    });
    const returning = (value: unknown) =>
      called(
        { id: 'A-1' },
        order(() => value, day),
      );
    expect(await returning({ at: new Date(0) })).toMatchObject({
      outcome: 'succeeded',
      output: { at: '1970-01-01T00:00:00.000Z' },
    });
    expect((await returning({ at: 5 }))?.isError).toBe(true);
    expect((await returning(new Date(0)))?.isError).toBe(true);
    expect((await returning(undefined))?.isError).toBe(true);
  });
});

describe('a list of tools', () => {
  test('B65: a tool that cannot be expressed fails alone, when it is built', async () => {
    const broken = () =>
      tool({
        name: 'broken',
        description: '',
        inputSchema: jsonSchema({ type: 'array' }),
        execute: () => null,
      });
    expect(broken).toThrow();
    expect((await called({ id: 'A-1' }))?.outcome).toBe('succeeded');
  });
});
