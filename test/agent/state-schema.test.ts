import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readStateSchema } from '../../src/agent/state-schema.ts';
import { createAgent, scriptedModel } from '../../src/index.ts';
import type { ToolSchema } from '../../src/tools/schema.ts';

const model = scriptedModel([]);

/** Builds an agent with any schema, as a caller without types may. */
function build(stateSchema: unknown, texts: object = {}): () => unknown {
  return () =>
    createAgent({
      name: 'a',
      model,
      stateSchema: stateSchema as ToolSchema<unknown, never>,
      ...texts,
    });
}

const refusal = (what: string) =>
  expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(what) });

describe('a state schema is refused when the agent is built', () => {
  const field = (schema: z.ZodType) => z.object({ day: schema });
  test.each([
    ['that is no schema', {}, 'no object schema'],
    ['that is a function', z.object, 'no usable value'],
    ['of no object', z.string().optional(), 'no object schema'],
    ['of another library', { '~standard': { version: 1 } }, 'no object schema'],
    ['with a rule over its fields', field(z.string().optional()).refine(() => true), 'rules over'],
    ['with a required field', field(z.string()), "'day' has no value to begin with"],
    ['with a field that may only be null', field(z.string().nullable()), 'no value to begin with'],
    ['with a date', field(z.date().optional()), "'day' holds a type that JSON does not have"],
    ['with a transform', field(z.string().transform(Number).optional()), "the field 'day' holds"],
    ['with a preprocess', field(z.preprocess(String, z.string()).optional()), 'holds a pipe'],
    [
      'with a codec far inside',
      field(z.array(z.object({ a: z.stringbool() })).default([])),
      'holds a pipe',
    ],
    [
      'with a default it refuses',
      field(z.string().min(3).default('x')),
      "default of the field 'day'",
    ],
    [
      'with a default that is no JSON',
      field(z.any().default(() => new Map())),
      "default of the field 'day'",
    ],
  ])('%s', (_what, schema, message) => {
    expect(build(schema)).toThrow(refusal(message));
  });

  test.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'session',
    'result',
    'a b',
    'a.b',
    '',
    '1a',
  ])('with a field called %j', (name) => {
    expect(build(z.object({ [name]: z.string().optional() }))).toThrow(refusal('has a name'));
  });

  test('and everything else may be in it', () => {
    const schema = z.strictObject({
      name: z.string().trim().optional(),
      days: z.array(z.string()).default(() => ['mon']),
      count: z.coerce.number().int().default(0),
      customer: z
        .object({ name: z.string(), tags: z.record(z.string(), z.json()) })
        .nullable()
        .default(null),
      either: z.union([z.string(), z.number()]).optional().describe('one of two'),
      mild: z.string().catch('x'),
      plain: z.string().readonly().prefault('y'),
    });
    const { fields, defaults } = readStateSchema(schema);
    expect(fields).toEqual(['name', 'days', 'count', 'customer', 'either', 'mild', 'plain']);
    expect(defaults).toEqual({ days: ['mon'], count: 0, customer: null, mild: 'x', plain: 'y' });
    expect(Object.isFrozen(defaults['days'])).toBe(true);
  });
});

describe('a value of a field', () => {
  const { check } = readStateSchema(
    z.object({
      name: z.string().trim().max(5).optional(),
      order: z.object({ id: z.string() }).optional(),
      any: z.unknown().optional(),
      broken: z
        .string()
        .optional()
        .refine((text) => {
          if (text === undefined) return true;
          throw new Error(`no ${text}`);
        }),
      later: z
        .string()
        .refine(async () => true)
        .optional(),
      laterNo: z
        .string()
        .refine(async (text) => Promise.reject(new Error(text)))
        .optional(),
    }),
  );

  test('is the one the schema made of it, frozen and of its own', () => {
    const order = { id: 'a', more: true };
    const checked = check('order', order);
    expect(checked).toEqual({ value: { id: 'a' } });
    expect(checked).toSatisfy(({ value }) => Object.isFrozen(value) && value !== order);
    expect(check('name', ' ann ')).toEqual({ value: 'ann' });
  });

  test.each([
    ['a value it refuses', 'name', 'longer than five'],
    ['another type', 'name', 5],
    ['null where it is not named', 'name', null],
    ['a rule that throws', 'broken', 'x'],
    ['a rule that answers later', 'later', 'x'],
    ['a rule that rejects later', 'laterNo', 'x'],
    ['a date', 'any', new Date(0)],
    ['a function', 'any', () => 1],
    ['a big number', 'any', 1n],
    ['NaN', 'any', Number.NaN],
    ['a map', 'any', new Map()],
    ['a cycle', 'any', cycle()],
    [
      'a throwing proxy',
      'any',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
    ],
    ['a __proto__ key', 'any', JSON.parse('{"a":{"__proto__":{"isAdmin":true}}}')],
    ['a constructor.prototype', 'any', { constructor: { prototype: { isAdmin: true } } }],
  ])('cannot be %s', (_what, field, value) => {
    expect(check(field, value)).toMatchObject({ code: 'invalid-value' });
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  test('is told of without a word of it, whatever the rule says', () => {
    const secretive = z.object({
      pin: z
        .string()
        .refine(() => false, { error: ({ input }) => `bad ${String(input)}` })
        .optional(),
      keys: z.record(z.string(), z.strictObject({})).optional(),
    });
    const schema = readStateSchema(secretive);
    const problems = [schema.check('pin', '42'), schema.check('keys', { s3cret: { hidden: 1 } })];
    expect(JSON.stringify(problems)).not.toMatch(/42|s3cret|hidden/);
    expect(problems[0]).toMatchObject({ what: 'its schema refuses the value (custom)' });
    expect(check('name', 5)).toMatchObject({
      what: expect.stringContaining('invalid_type: string'),
    });
  });
});

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

describe('placeholders', () => {
  const schema = z.object({
    day: z.string().optional(),
    customer: z
      .object({ name: z.string(), tags: z.array(z.object({ id: z.number() })) })
      .nullable()
      .default(null),
    anything: z.record(z.string(), z.number()).default({}),
  });

  test.each([
    ['{{dya}}', "Did you mean '{{day}}'?"],
    ['{{day.hour}}', 'the fields are: day, customer, anything'],
    ['{{customer.nam}}', 'names nothing'],
    ['{{customer.tags.first}}', 'names nothing'],
    ['{{customer.tags.length}}', 'names nothing'],
    ['{{customer.constructor}}', 'names nothing'],
    ['{{constructor}}', 'names nothing'],
    ['{{__proto__}}', 'names nothing'],
    ['{{session.user}}', 'names nothing'],
    ['{{@day}}', 'names nothing'],
    ['{{}}', 'names nothing'],
    ['{{day day}}', 'names nothing'],
    ['{{#if day}}', 'names nothing'],
  ])(
    '%s is refused in instructions, in those for summaries and in fallback texts',
    (text, message) => {
      expect(build(schema, { instructions: `Hi ${text}!` })).toThrow(refusal(message));
      expect(build(schema, { fallbacks: { limit: `Hi ${text}!` } })).toThrow(
        refusal('fallbacks.limit'),
      );
      const compaction = { maxTokens: 100, instructions: `Hi ${text}!` };
      expect(build(schema, { compaction })).toThrow(refusal('compaction.instructions'));
    },
  );

  test('fields, keys below them and places in lists are taken', () => {
    const text =
      '{{day}} {{ day }} {{customer.name}} {{customer.tags.0.id}} {{anything.at.all}} { {day} } {{day';
    expect(build(schema, { instructions: text, fallbacks: { error: text } })).not.toThrow();
  });

  test('without a schema braces are text', () => {
    expect(build(undefined, { instructions: 'Answer in {{mustache}}' })).not.toThrow();
  });
});
