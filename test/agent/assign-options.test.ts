import { ConfigError, createAgent, scriptedModel, tool } from 'agent-hooks';
import { jsonSchema } from 'agent-hooks/tools/json-schema';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { orderTool, resultDesk, resultState } from '../loop/result-desk.ts';

const fault = (build: () => unknown): string => {
  try {
    build();
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};
const assigning = (assign: object) => () => resultDesk({ script: [], more: { assign } as object });
const row = (field: string, ...path: string[]) => ({ find_order: [{ field, path }] });

describe('a row that could never hold is refused when the agent is built', () => {
  test.each([
    ['an unknown tool', { find_ordr: [] }, "Did you mean 'find_order'?"],
    ['an unknown part', row('order_number', 'ordr_id'), "Did you mean 'order_id'?"],
    ['an unknown part below', row('amount', 'total', 'amont'), "Did you mean 'amount'?"],
    ['an unknown field', row('order_numbr', 'order_id'), "Did you mean 'order_number'?"],
    ['a key below a text', row('order_number', 'order_id', 'x'), '(there are none)'],
  ])('U-K22: %s', (_, assign, words) => expect(fault(assigning(assign))).toContain(words));

  test.each([
    [
      'a number for a text',
      row('name', 'total', 'amount'),
      "'result.total.amount' may be number, and the state field 'name' takes string",
    ],
    [
      'a text for a number',
      row('amount', 'order_id'),
      "'result.order_id' may be string, and the state field 'amount' takes number",
    ],
    [
      'a whole for a text',
      row('name'),
      "'result' may be object, and the state field 'name' takes string",
    ],
    ['a part for a whole', row('order', 'total'), "'result.total.order_id' may be nothing"],
    [
      'other values',
      row('vip', 'status'),
      `may be "held" | "future_day" | "shipped", and the state field 'vip' takes boolean`,
    ],
  ])('U-K23: %s', (_, assign, words) => expect(fault(assigning(assign))).toContain(words));

  const given = (outputSchema: z.ZodType, field: z.ZodType) => () =>
    createAgent({
      name: 'desk',
      model: scriptedModel([]),
      tools: [
        tool({
          name: 'get',
          inputSchema: z.object({}),
          outputSchema: z.object({ value: outputSchema }) as never,
          assign: [{ field: 'kept', path: ['value'] }],
          execute: () => ({ value: 1 }) as never,
        }),
      ],
      stateSchema: z.object({ kept: field }) as never,
    });

  test.each([
    ['a null that the field refuses', z.string().nullable(), z.string().optional()],
    ['no value in common', z.enum(['a', 'b']), z.enum(['c', 'd']).optional()],
    ['members of another type', z.array(z.string()), z.array(z.number()).optional()],
    ['one of two types', z.union([z.string(), z.number()]), z.string().optional()],
    [
      'a field that is missing',
      z.object({ a: z.string() }),
      z.object({ b: z.string() }).optional(),
    ],
  ])('U-K23: %s', (_, output, field) => {
    expect(fault(given(output, field))).toContain("tool 'get': assign[0]: 'result.value");
  });

  test.each([
    ['a null that it takes', z.string().nullable(), z.string().nullable().default(null)],
    ['a value in common', z.enum(['a', 'b']), z.enum(['b', 'c']).optional()],
    ['a text for one of some', z.string(), z.enum(['c', 'd']).optional()],
    ['a whole number for a number, and the other way', z.int(), z.number().optional()],
    ['a number for a whole number', z.number(), z.int().optional()],
    ['anything', z.any(), z.string().optional()],
    ['into anything', z.object({ a: z.string() }), z.unknown().optional()],
    ['a record', z.record(z.string(), z.number()), z.object({ a: z.number() }).optional()],
    [
      'more fields than it has',
      z.object({ a: z.string(), b: z.number() }),
      z.object({ a: z.string() }).optional(),
    ],
    [
      'one of two forms',
      z.object({ a: z.string() }),
      z.union([z.object({ a: z.number() }), z.object({ a: z.string() })]).optional(),
    ],
    ['a date, as it is written', z.iso.date(), z.string().optional()],
  ])('what may fit is left to the check of the value: %s', (_, output, field) => {
    expect(given(output, field)).not.toThrow();
  });

  test('a schema that refers to itself ends somewhere', () => {
    const Tree = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree);
      },
    });
    expect(given(Tree, Tree.optional())).not.toThrow();
  });

  test('U-K22: without a state, or without a schema of the result', () => {
    const assign = [{ field: 'kept', path: ['id'] }];
    const plain = { name: 'get', inputSchema: z.object({}), execute: () => ({ id: '1' }) };
    expect(fault(() => tool({ ...plain, assign }))).toContain('set its `outputSchema`');
    const whole = tool({ ...plain, assign: [{ field: 'kept', path: [] }] });
    const agent = { name: 'desk', model: scriptedModel([]), tools: [whole] };
    expect(fault(() => createAgent(agent))).toContain('Give `createAgent` a `stateSchema`');
    const stateSchema = z.object({ kept: z.unknown().optional() });
    expect(() => createAgent({ ...agent, stateSchema: stateSchema as never })).not.toThrow();
  });

  test('a schema written by hand is read as well', () => {
    const outputSchema = jsonSchema<{ id: string }>({
      type: 'object',
      properties: {
        id: { $ref: '#/$defs/Id' },
        open: { type: 'object', properties: {}, patternProperties: { '^x_': {} } },
      },
      $defs: { Id: { type: 'integer' } },
    });
    const get = (field: string, path: string[]) => () =>
      tool({
        name: 'get',
        inputSchema: z.object({}),
        outputSchema,
        assign: [{ field, path }],
        execute: () => ({ id: '1' }),
      });
    expect(fault(get('name', ['idd']))).toContain("Did you mean 'id'?");
    expect(get('name', ['open', 'x_1'])).not.toThrow();
    const tools = [get('name', ['id'])()];
    const build = () =>
      createAgent({
        name: 'd',
        model: scriptedModel([]),
        tools,
        stateSchema: resultState as never,
      });
    expect(fault(build)).toContain("may be integer, and the state field 'name' takes string");
  });
});

describe('a declaration without types', () => {
  const rows = 'as `{ field: ';
  test.each([
    ['no list', { assign: 'x' }, '`assign` is not a list'],
    ['no rows', { assign: ['x'] }, 'it is no object'],
    ['a row of something else', { assign: [{ variable: 'a', path: [] }] }, 'no option `variable`'],
    ['no field', { assign: [{ path: [] }] }, '`field` is no text'],
    ['a path that is no list', { assign: [{ field: 'name', path: 'id' }] }, rows],
    ['a path of numbers', { assign: [{ field: 'name', path: [1] }] }, rows],
    [
      'an end that is no choice',
      { endsConversation: 'yes' },
      '`endsConversation` is not true or false',
    ],
  ])('%s', (_, more, words) => expect(fault(() => orderTool(more))).toContain(words));

  test.each([
    ['no object', [] as object],
    ['rows that are no list', { find_order: {} }],
  ])('of the agent: %s', (_, assign) => expect(fault(assigning(assign))).toContain('assign'));

  test('later changes of what was passed have no effect', async () => {
    const assign = [{ field: 'name', path: ['order_id'] }];
    const desk = resultDesk({
      script: [{ toolCalls: [{ name: 'find_order', input: {} }] }, 'Found.'],
      tools: [orderTool({ assign })],
    });
    assign.push({ field: 'no_such', path: [] });
    expect((await desk.run()).state).toMatchObject({ name: 'A-1' });
  });
});
