import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { modelSchema } from '../../../src/tools/model-schema.ts';
import { copied, propertiesOf, refusal, shown, shownField, toolWith } from './shown.ts';

const field = (schema: z.ZodType) => shownField(schema, z.object);

describe('the copy a model reads', () => {
  test('U-I12: names of properties that look like keywords are names', () => {
    const names = [
      'format',
      'pattern',
      '$ref',
      'default',
      'type',
      'const',
      'not',
      'properties',
      'required',
      'x-words',
      '$defs',
    ];
    const more = [...names, '__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const copy = shown(z.object(Object.fromEntries(more.map((name) => [name, z.iso.date()]))));
    expect(Object.keys(propertiesOf(copy)).toSorted()).toEqual(more.toSorted());
    for (const [, property] of Object.entries(propertiesOf(copy)))
      expect(property).toEqual({ type: 'string', description: expect.stringContaining('A date') });
    expect(copy['required']).toEqual(expect.arrayContaining(more));
  });

  test('U-I13: arguments that are not its to give are in neither list', () => {
    const full = {
      type: 'object',
      properties: { customer_id: { $ref: '#' }, q: { type: 'string' } },
      required: ['customer_id', 'q'],
    };
    const copy = modelSchema('book', full, { without: ['customer_id'] });
    expect(copy).toEqual({
      type: 'object',
      properties: { q: { type: 'string' } },
      required: ['q'],
    });
    const none = modelSchema('book', full, { without: ['customer_id', 'q'] });
    expect(none).toEqual({ type: 'object', properties: {} });
    expect(full.required).toEqual(['customer_id', 'q']);
  });

  test('U-I14: is made once, frozen, byte for byte the same, and the full schema is left alone', () => {
    const full = {
      type: 'object',
      properties: { day: { type: ['string', 'null'], format: 'date', default: null } },
    };
    const before = JSON.stringify(full);
    const bytes = JSON.stringify(modelSchema('book', full));
    expect(JSON.stringify(modelSchema('book', structuredClone(full)))).toBe(bytes);
    expect(JSON.stringify(full)).toBe(before);
    expect(Object.isFrozen(full)).toBe(false);
    const book = toolWith(z.object({ day: z.iso.date() }));
    expect(book.description.inputSchema).toBe(book.description.inputSchema);
    expect(Object.isFrozen(propertiesOf(book.description.inputSchema)['day'])).toBe(true);
  });

  test('U-I15: the bounds of safe integers are not shown, and real ones are', () => {
    expect(field(z.int())).toEqual({ type: 'integer' });
    expect(field(z.int().min(1).max(12))).toEqual({ type: 'integer', minimum: 1, maximum: 12 });
    expect(field(z.int().positive())).toEqual({ type: 'integer', exclusiveMinimum: 0 });
    expect(field(z.int32())).toHaveProperty('maximum', 2 ** 31 - 1);
    expect(field(z.float64())).toEqual({ type: 'number' });
  });

  test.each([
    ['a constant', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a constant that is null', { const: null }, { type: 'null' }],
    [
      'a constant that is an object',
      { const: { $ref: 1 } },
      { type: 'object', enum: [{ $ref: 1 }] },
    ],
    [
      'exclusive choices',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'a list of types',
      { type: ['string', 'null'], minLength: 2, description: 'A' },
      { description: 'A', anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
    ],
    ['integers that are numbers too', { type: ['integer', 'number'] }, { type: 'number' }],
    [
      'values of two types',
      { enum: ['a', 1] },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'number', enum: [1] },
        ],
      },
    ],
    [
      'values that their type excludes',
      { type: 'string', enum: ['a', null] },
      { type: 'string', enum: ['a'] },
    ],
    [
      'nested choices',
      { anyOf: [{ type: ['string', 'null'] }, { anyOf: [{ type: 'null' }, { type: 'boolean' }] }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'boolean' }] },
    ],
    [
      'one choice',
      { anyOf: [{ type: 'string', description: 'B' }], description: 'A' },
      { type: 'string', description: 'A' },
    ],
    [
      'choices beside types',
      { type: ['string', 'null'], anyOf: [{ minLength: 1 }, { maxLength: 0 }] },
      {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'string', maxLength: 0 },
        ],
        allOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
      },
    ],
    [
      'no type',
      { properties: { a: true } },
      { type: 'object', properties: { a: { description: 'Any JSON value.' } } },
    ],
    ['anything', {}, { description: 'Any JSON value.' }],
    ['anything with a note', { description: 'Whatever' }, { description: 'Whatever' }],
    ['true', true, { description: 'Any JSON value.' }],
    ['only a title', { title: 'T' }, { description: 'Any JSON value.', title: 'T' }],
    ['nothing', false, { type: 'null', description: 'Leave this out: no value fits.' }],
    [
      'not anything',
      { not: true },
      { type: 'null', description: 'Leave this out: no value fits.' },
    ],
    [
      'a list of anything',
      { type: 'array' },
      { type: 'array', items: { description: 'Any JSON value.' } },
    ],
    [
      'a list of nothing',
      { type: 'array', items: false },
      { type: 'array', items: { description: 'Any JSON value.' }, maxItems: 0 },
    ],
  ])('B68: %s has one type in each place, and no place is empty', (_, schema, expected) => {
    expect(copied(schema)).toEqual(expected);
  });

  test('B68: positions of a list are one schema for its items, and their order is words', () => {
    const tuple = z.tuple([z.string().describe('The street'), z.int()]);
    expect(field(tuple)).toEqual({
      type: 'array',
      description: 'In this order: The street, integer.',
      items: { anyOf: [{ type: 'string', description: 'The street' }, { type: 'integer' }] },
      minItems: 2,
      maxItems: 2,
    });
    expect(field(z.tuple([z.string()], z.boolean()))).toEqual({
      type: 'array',
      description: 'In this order: string.',
      items: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      minItems: 1,
    });
    expect(copied({ type: 'array', prefixItems: [{ type: 'string' }] })).not.toHaveProperty(
      'maxItems',
    );
  });

  test('what must not fit is words, never a weaker exclusion', () => {
    const copy = copied({ type: 'string', not: { pattern: '^x' } });
    expect(copy).toEqual({
      type: 'string',
      description: 'Must not fit {"type":"string","description":"Begins with \\"x\\"."}.',
    });
  });

  test('what a list must contain is words', () => {
    const copy = copied({
      type: 'array',
      items: { type: 'string' },
      contains: { const: 'a' },
      maxContains: 2,
    });
    expect(copy).toEqual({
      type: 'array',
      description: 'Of the items at least 1 and at most 2 must fit {"type":"string","enum":["a"]}.',
      items: { type: 'string' },
    });
  });

  test('a record with listed keys is an object with these properties', () => {
    expect(field(z.record(z.enum(['a', '__proto__']), z.number()))).toEqual(
      JSON.parse(
        '{"type":"object","properties":{"a":{"type":"number"},"__proto__":{"type":"number"}},"required":["a","__proto__"],"additionalProperties":false}',
      ),
    );
    expect(field(z.record(z.string(), z.number()))).toEqual({
      type: 'object',
      additionalProperties: { type: 'number' },
    });
    expect(field(z.record(z.string().min(3), z.number()))).toEqual({
      type: 'object',
      description: 'The name of each member must fit {"minLength":3}.',
      additionalProperties: { type: 'number' },
    });
  });

  test('what has to fit all of several is one schema where it can be', () => {
    const both = z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }));
    expect(field(both)).toHaveProperty('properties', {
      a: { type: 'string' },
      b: { type: 'string' },
    });
    const open = { type: 'object', properties: { a: { type: 'string' } } };
    const closed = {
      type: 'object',
      properties: { b: { type: 'string' } },
      additionalProperties: false,
    };
    expect(copied({ allOf: [open, { required: ['a'] }] })).toEqual({ ...open, required: ['a'] });
    expect(copied({ allOf: [open, closed] })).toEqual({ ...open, allOf: [closed] });
  });

  test('what is data is never read as a schema', () => {
    const data = { $ref: '#/nowhere', type: ['string', 'null'], format: 'date', default: null };
    const full = { type: 'object', default: data, examples: [data] };
    expect(copied(full)).toEqual(full);
    expect(copied({ enum: [data] })).toEqual({ type: 'object', enum: [data] });
  });

  test('what is for others than the model is left out', () => {
    const notes = {
      $comment: 'c',
      'x-owner': 'team',
      readOnly: true,
      writeOnly: true,
      discriminator: { propertyName: 'k' },
    };
    expect(
      copied({ type: 'string', title: 'T', deprecated: true, example: 'a', ...notes }),
    ).toEqual({
      type: 'string',
      title: 'T',
      deprecated: true,
      examples: ['a'],
    });
    expect(
      shown(z.object({ a: z.string().meta({ label: 'for a form', id: 'A' }) }).readonly()),
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
  });

  test('U-M15: an input without arguments is an object without properties', () => {
    expect(shown(z.object({}))).toEqual({ type: 'object', properties: {} });
    expect(modelSchema('book', { type: 'object' })).toEqual({ type: 'object', properties: {} });
  });

  test('an open object stays open and a closed one closed', () => {
    expect(shown(z.looseObject({}))).toHaveProperty('additionalProperties', true);
    expect(shown(z.strictObject({}))).toHaveProperty('additionalProperties', false);
    expect(shown(z.object({}).catchall(z.iso.date()))).toHaveProperty(
      'additionalProperties.description',
    );
    expect(refusal(() => shown(z.union([z.object({}), z.object({})]))).message).toContain(
      'no object schema',
    );
  });
});
