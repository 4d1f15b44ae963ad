import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { jsonSchema } from '../../../src/tools/json-schema.ts';
import { refusal, shown } from '../model-schema/shown.ts';

/** A schema whose only property is this one. */
const holding = (a: unknown, more: object = {}) => ({ type: 'object', properties: { a }, ...more });
const built = (schema: object) => jsonSchema(schema)['~standard'].vendor;
const refused = (schema: object) => {
  const error = refusal(() => jsonSchema(schema));
  expect(error.code).toBe('invalid-tool');
  expect(error.message).toMatch(/^jsonSchema\(\): /);
  return error.message;
};

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const structure = {
  $schema: DRAFT,
  $defs: { X: { type: 'string' } },
  $ref: '#/$defs/X',
  type: 'object',
  properties: { b: true },
  required: ['b'],
  additionalProperties: { type: 'string' },
  items: false,
  prefixItems: [true],
  contains: { type: 'string' },
  minContains: 1,
  maxContains: 2,
  patternProperties: { '^x': true },
  propertyNames: { minLength: 1 },
  minProperties: 1,
  maxProperties: 2,
};
const limits = {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
  minLength: 1,
  maxLength: 2,
  pattern: '^a',
  minimum: 1,
  maximum: 2,
  exclusiveMinimum: 0,
  exclusiveMaximum: 3,
  multipleOf: 1,
  enum: ['a'],
  const: 'a',
};
const choices = {
  anyOf: [true],
  oneOf: [{ type: 'string' }],
  allOf: [{ type: 'string' }],
  not: { type: 'string' },
  discriminator: { propertyName: 'k', mapping: { a: '#/$defs/A' } },
};
const notes = {
  description: 'd',
  title: 't',
  default: 1,
  examples: [1],
  example: 1,
  deprecated: true,
  readOnly: true,
  writeOnly: true,
  format: 'email',
  $comment: 'c',
  'x-owner': { any: 'thing' },
};

describe('a hand-written schema', () => {
  test('U-U1: fails at build for a keyword that is not listed, and the message names it', () => {
    const message = refused(holding({ type: 'string', unevaluatedItems: false }));
    expect(message).toContain('`unevaluatedItems` at `properties.a`');
  });

  test.each(Object.entries(structure))(
    'U-U2: may have the structure keyword %s',
    (keyword, value) => {
      expect(built(holding({ [keyword]: value }, { $defs: { X: true } }))).toBe('agent-hooks');
    },
  );

  test.each(Object.entries(limits))('U-U3: may have the limit %s', (keyword, value) => {
    expect(built(holding({ [keyword]: value }))).toBe('agent-hooks');
  });

  test.each(Object.entries(choices))('U-U4: may have the choice %s', (keyword, value) => {
    expect(built(holding({ [keyword]: value }))).toBe('agent-hooks');
  });

  test.each(Object.entries(notes))('U-U5: may have the note %s', (keyword, value) => {
    expect(built(holding({ [keyword]: value }))).toBe('agent-hooks');
  });

  test.each(['definitions', '$id', '$anchor'])('U-U6: %s fails and points to $defs', (keyword) => {
    const value = keyword === 'definitions' ? {} : 'x';
    const message = refused({ type: 'object', [keyword]: value });
    expect(message).toContain(`\`${keyword}\` at the root: `);
    expect(message).toContain('`$defs`');
    expect(refused(holding({ [keyword]: value }))).toContain(`\`${keyword}\` at \`properties.a\``);
  });

  test.each([
    'https://example.com/x',
    '#',
    '#/properties/a',
    '#/$defs/None',
    '#/$defs/X/properties/y',
    '#/$defs/%',
    'X',
    '#/$defs/constructor',
  ])('U-U7: the reference %s fails', ($ref) => {
    const message = refused(holding({ $ref }, { $defs: { X: { properties: { y: true } } } }));
    expect(message).toContain(
      '`$ref` at `properties.a`: it has to point to a member of the `$defs`',
    );
  });

  test('U-U7: a local reference is followed, also in a circle that reads something', () => {
    const Tree = {
      type: 'object',
      properties: { sub: { $ref: '#/$defs/Tree' }, n: { type: 'integer' } },
    };
    const schema = jsonSchema(holding({ $ref: '#/$defs/Tree' }, { $defs: { Tree } }));
    const check = (value: unknown) => schema['~standard'].validate(value);
    expect(check({ a: { sub: { sub: { n: 1 } } } })).not.toHaveProperty('issues');
    expect(check({ a: { sub: { sub: { n: 'x' } } } })).toHaveProperty('issues');
  });

  test.each([
    { A: { $ref: '#/$defs/A' } },
    {
      A: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'string' }] },
      B: { allOf: [{ not: { $ref: '#/$defs/A' } }] },
    },
  ])('U-U7: a circle that reads nothing fails: %#', ($defs) => {
    expect(refused(holding({ $ref: '#/$defs/A' }, { $defs }))).toContain(
      '`$ref` at `$defs.A`: it leads back to itself for the same value',
    );
  });

  test('U-U9: nullable fails, and the message names what to write', () => {
    expect(refused(holding({ type: 'string', nullable: true }))).toContain(
      "`nullable` at `properties.a`: write a list of types with null, as in `type: ['string', 'null']`",
    );
  });

  test.each([{ type: 'array' }, { type: ['object', 'null'] }, {}, { type: 'string' }])(
    'U-U10: the root is a plain object: %j',
    (schema) => {
      expect(refused(schema)).toContain("`type` at the root: it has to be 'object'");
    },
  );

  test('U-U10: the root may have these', () => {
    const notes = {
      description: 'd',
      title: 't',
      $comment: 'c',
      'x-a': 1,
      additionalProperties: false,
    };
    expect(built(holding(true, { $schema: DRAFT, $defs: {}, required: [], ...notes }))).toBe(
      'agent-hooks',
    );
  });

  test.each([
    ...Object.entries(choices),
    ...Object.entries(limits),
    ['patternProperties', {}],
    ['propertyNames', true],
    ['minProperties', 1],
    ['maxProperties', 1],
    ['$ref', '#/$defs/X'],
    ['default', {}],
    ['examples', []],
  ] as const)('U-U11: %s fails at the root and belongs into a property', (keyword, value) => {
    const message = refused({ type: 'object', $defs: { X: true }, [keyword]: value });
    expect(message).toContain(
      `\`${keyword}\` at the root: the root is one plain object; move this into a property`,
    );
  });

  test.each(['if', 'then', 'dependentRequired'])('U-U11: %s fails anywhere', (keyword) => {
    expect(refused({ type: 'object', [keyword]: {} })).toContain(
      `\`${keyword}\` at the root: use \`anyOf\``,
    );
  });

  test('U-U12: what is nested may have the whole list', () => {
    const all = { ...structure, ...limits, ...choices, ...notes };
    expect(built(holding(all, { $defs: { X: true } }))).toBe('agent-hooks');
    const schema = jsonSchema(holding({ oneOf: [{ type: 'string' }, { type: 'number' }] }));
    expect(schema['~standard'].validate({ a: true })).toHaveProperty('issues');
  });

  test('U-U15: data is not walked', () => {
    const odd = { nullable: 1, $ref: 'https://x', definitions: {} };
    const more = {
      default: odd,
      const: odd,
      enum: [odd],
      examples: [odd],
      example: odd,
      'x-a': odd,
    };
    expect(built(holding(more))).toBe('agent-hooks');
    expect(refused(holding({ default: odd, items: odd }))).not.toContain('default');
  });

  test('U-U15: names of properties are not keywords', () => {
    const names = { nullable: true, $id: true, definitions: true, if: true, constructor: true };
    expect(built({ type: 'object', properties: names, $defs: names })).toBe('agent-hooks');
  });

  test('U-U16: true and false are schemas', () => {
    const schema = jsonSchema(holding({ prefixItems: [true], items: false, not: false }));
    expect(schema['~standard'].validate({ a: [1] })).not.toHaveProperty('issues');
    expect(schema['~standard'].validate({ a: [1, 2] })).toHaveProperty('issues');
  });

  test('U-U17: every finding is named with its place, however deep', () => {
    const message = refused({
      type: 'object',
      properties: { phone: { nullable: true }, list: { items: { anyOf: [{}, { if: true }] } } },
      $defs: { A: { patternProperties: { '^a': { descripton: 'x' } } } },
    });
    expect(message).toContain('`nullable` at `properties.phone`');
    expect(message).toContain('`if` at `properties.list.items.anyOf[1]`');
    expect(message).toContain('`descripton` at `$defs.A.patternProperties.^a`');
    expect(message).toContain('did you mean `description`?');
  });

  test.each([
    [{ minLength: 'two' }, '`minLength` at `properties.a`: it must be integer'],
    [{ required: true }, '`required` at `properties.a`: it must be array'],
    [{ type: 'text' }, '`type` at `properties.a`: it must be equal to one of the allowed values'],
    [{ exclusiveMinimum: true }, '`exclusiveMinimum` at `properties.a`: it must be number'],
    [{ pattern: '(' }, '`pattern` at `properties.a`: it is no regular expression'],
    [
      { patternProperties: { '[': true } },
      '`patternProperties` at `properties.a`: it is no regular',
    ],
    [{ enum: [] }, '`enum` at `properties.a`: it lists no value'],
    [{ items: [{}] }, '`items` at `properties.a.items`: it holds a list'],
    [{ not: 'x' }, '`not` at `properties.a.not`: it holds something that is no schema'],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '`$schema` at `properties.a`: it has to be',
    ],
    [JSON.parse('{"properties":{"__proto__":true}}'), 'nothing checks a member called `__proto__`'],
  ])('a keyword with a value it cannot have fails: %j', (schema, expected) => {
    expect(refused(holding(schema))).toContain(expected);
  });

  test.each([
    [
      'a circle',
      () => {
        const a: Record<string, unknown> = { type: 'object' };
        a['properties'] = a;
        return a;
      },
    ],
    ['a function', () => holding({ default: () => 1 })],
    ['a list', () => []],
    ['nothing', () => null],
    [
      'a throwing member',
      () => ({
        get type(): string {
          throw new Error('LEAK');
        },
      }),
    ],
  ])('%s instead of JSON fails', (_, make) => {
    const message = refused(make() as object);
    expect(message).toContain('Pass one JSON Schema');
    expect(message).not.toContain('LEAK');
  });

  test('is the one that was written, whatever becomes of the object', () => {
    const a = { type: 'string' };
    const schema = jsonSchema(holding(a));
    a.type = 'number';
    expect(schema['~standard'].validate({ a: 'x' })).not.toHaveProperty('issues');
    expect(Object.isFrozen(a)).toBe(false);
  });
});

describe('a schema made by a library', () => {
  test('U-U14: follows the rules but for a record as the root', () => {
    expect(refusal(() => shown(z.record(z.string(), z.string()))).message).toMatch(
      /^tool 'book': .*`propertyNames` at the root: .*move this into a property/,
    );
  });

  test('U-U14: and but for files', () => {
    const message = refusal(() => shown(z.object({ scan: z.array(z.file()) }))).message;
    expect(message).toContain("tool 'book': the field 'scan.*' is a file");
  });

  test('U-U14: is held to the same list', () => {
    const inputSchema = {
      '~standard': {
        version: 1 as const,
        vendor: 'other',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: 'object', properties: { a: { if: true } } }) },
      },
    };
    expect(refusal(() => shown(inputSchema)).message).toContain('`if` at `properties.a`');
  });
});
