import { ConfigError, createAgent, hostTool, scriptedModel, tool, transcript } from 'agent-hooks';
import { jsonSchema } from 'agent-hooks/tools/json-schema';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const fault = (build: () => unknown): string => {
  try {
    build();
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};

const made = (locked: object, inputSchema: unknown, more: object = {}) =>
  tool({
    name: 'lookup',
    inputSchema: inputSchema as z.ZodObject,
    sideEffects: 'none',
    locked,
    execute: () => ({}),
    ...more,
  });
const text = z.object({ id: z.string(), order: z.string().optional() });

describe('a lock that no agent could fill is refused when the tool is built', () => {
  test.each([
    [
      'U-M13: a key that the input lacks',
      { custmer_id: 'x' },
      'names no such argument. Name one of: id, order',
    ],
    ['U-M13: with the nearest', { ordr: 'x' }, "Did you mean 'order'?"],
    [
      'U-M5: the retired spelling',
      { id: '{{@call_id}}' },
      'Write `{{session.call_id}}` for a fact',
    ],
    ['U-M5: of the conversation', { id: '{{@transcript}}' }, 'Lock it to `transcript()`'],
    ['U-M5: nothing', { id: '{{ }}' }, "'{{}}' names nothing. Name a value"],
    ['U-M5: a broken path', { id: 'a {{customer..id}}' }, 'names nothing'],
    [
      'a placeholder that is not closed',
      { id: '{{customer.id' },
      'braces that belong to no placeholder',
    ],
    ['a placeholder within an object', { id: { a: '{{x}}' } }, 'a placeholder within an object'],
    ['nothing', { id: undefined }, 'it is no plain JSON'],
    ['null', { id: null }, 'it is null'],
    ['a function', { id: () => 1 }, 'it is no plain JSON'],
    ['U-M7: a literal of another type', { id: 7 }, "the argument 'id' takes string, and this is 7"],
    ['the conversation for a text', { id: transcript() }, "the argument 'id' takes string"],
  ])('%s', (_, locked, words) => {
    const message = fault(() => made(locked, text));
    expect(message).toContain(words);
    expect(message).toContain("tool 'lookup': locked.");
  });

  test.each([
    [
      'a literal that the schema does not know',
      { v: 'mail' },
      z.enum(['chat', 'phone']),
      'takes "chat" | "phone"',
    ],
    [
      'a text with values for a number',
      { v: '{{a}}{{b}}' },
      z.number(),
      'takes number, and this is string',
    ],
    [
      'the conversation as text for a list',
      { v: transcript({ text: true }) },
      z.array(z.unknown()),
      'takes array',
    ],
  ] as const)('%s', (...[, locked, schema, words]) => {
    expect(fault(() => made(locked, z.object({ v: schema })))).toContain(words);
  });

  test('a schema that names no arguments', () => {
    expect(fault(() => made({ id: 'x' }, jsonSchema({ type: 'object' })))).toContain(
      '`inputSchema` names no such argument',
    );
  });

  test.each([
    ['locked', { locked: ['id'] }, '`locked` is not an object'],
    ['hints', { hints: 'x' }, '`hints` is not an object'],
    [
      'a hint for nothing',
      { hints: { nam: 'x' } },
      "no placeholder of `locked` has this name. Did you mean 'name'?",
    ],
    ['a blank hint', { hints: { name: ' ' } }, 'it is no text'],
  ])('%s', (_, more, words) => {
    expect(fault(() => made({ id: '{{name}}' }, text, more))).toContain(words);
  });

  test('with a hand-written schema it works as with any', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { id: { type: 'string' }, order: { type: 'string' } },
      required: ['id'],
    });
    const { description } = made({ id: '{{name}}' }, schema);
    expect(description.inputSchema).toEqual({
      type: 'object',
      properties: { order: { type: 'string' } },
    });
  });
});

const stateSchema = z.object({
  customer: z.object({ id: z.string(), age: z.int() }).nullable().default(null),
  day: z.string().optional(),
  count: z.number().optional(),
  kind: z.enum(['a', 'b']).optional(),
  list: z.array(z.string()).default([]),
  any: z.unknown().optional(),
  open: z.record(z.string(), z.string()).default({}),
});
const agent = (lock: unknown, takes: z.ZodType, more: object = { stateSchema }) =>
  createAgent({
    name: 'desk',
    model: scriptedModel([]),
    tools: [made({ v: lock }, z.object({ v: takes }))],
    ...more,
  });

describe('every path of a lock is checked when the agent is built', () => {
  test.each([
    [
      'U-M6: an unknown field',
      '{{custmer.id}}',
      z.string(),
      "names 'custmer.id', which the state does not have. Did you mean 'customer'?",
    ],
    ['U-M6: an unknown key', '{{customer.ag}}', z.string(), "Did you mean 'age'?"],
    ['U-M6: a key below a text', '{{day.x}}', z.string(), '(there are none)'],
    ['U-M6: within a text', 'x {{custmer.id}}', z.string(), "Did you mean 'customer'?"],
    [
      'U-M7: a number for a text',
      '{{count}}',
      z.string(),
      "'count' may be number, and the argument 'v' takes string",
    ],
    [
      'U-M7: a text for a number',
      '{{customer.id}}',
      z.number(),
      "'customer.id' may be string, and the argument 'v' takes number",
    ],
    [
      'U-M7: another choice',
      '{{kind}}',
      z.enum(['c']),
      `'kind' may be "a" | "b", and the argument 'v' takes "c"`,
    ],
    ['U-M7: an object for a text', '{{customer}}', z.string(), "'customer' may be object"],
    [
      'U-M7: below',
      '{{customer}}',
      z.object({ age: z.string() }),
      "'customer.age' may be integer, and the argument 'v.age' takes string",
    ],
    [
      'U-M9: an object within a text',
      'Customer: {{customer}}',
      z.string(),
      "'customer' may be object, and the argument 'v' takes a text, in which that cannot stand",
    ],
    ['U-M9: a list within a text', '{{list}}!', z.string(), "'list' may be array"],
    [
      'a result, which is not there yet',
      '{{result.id}}',
      z.string(),
      'which the state does not have',
    ],
  ] as const)('%s', (...[, lock, takes, words]) => {
    expect(fault(() => agent(lock, takes))).toContain(words);
  });

  test.each([
    ['U-M8: an object', '{{customer}}', z.object({ id: z.string() })],
    ['U-M8: a list', '{{list}}', z.array(z.string())],
    ['U-M8: any type', '{{customer}}', z.unknown()],
    ['null counts as not set', '{{customer.id}}', z.string()],
    ['a number within a text', '{{count}} {{kind}}', z.string()],
    ['what the state does not say', '{{any}} {{any.x}}', z.string()],
    ['a key of a record', '{{open.x}}', z.string()],
    ['a whole number for a number', '{{customer.age}}', z.number()],
    ['a fact of the run', '{{session.count}}', z.number()],
    ['a position', '{{list.0}}', z.string()],
  ])('%s may be', (_, lock, takes) => {
    expect(() => agent(lock, takes)).not.toThrow();
  });

  test('an agent without a state has nothing to lock to but facts', () => {
    expect(fault(() => agent('{{day}}', z.string(), {}))).toContain(
      'Give `createAgent` a `stateSchema`',
    );
    expect(() => agent('{{session.x}}', z.string(), {})).not.toThrow();
    expect(() => agent('chat', z.string(), {})).not.toThrow();
  });

  test('a name that could mean a fact and a field is refused', () => {
    const both = { stateSchema: z.object({ channel: z.string().default('') }) };
    expect(fault(() => agent('{{channel}}', z.string(), both))).toContain('at once');
  });
});

test('a tool of the host cannot be locked to what only a run knows', () => {
  const host = (lock: string) => () =>
    hostTool({
      name: 'pick',
      description: 'Picks',
      inputSchema: z.object({ id: z.string() }),
      locked: { id: lock },
    });
  expect(fault(host('{{session.id}}'))).toContain('is a fact of a run');
  expect(fault(host('a {{sender}}'))).toContain('is a fact of a run');
  expect(host('{{customer.id}}')).not.toThrow();
});
