import { describe, expect, test, vi } from 'vitest';
import { jsonSchema } from '../../../src/tools/json-schema.ts';

function accepts(a: object | boolean, value: unknown, $defs: object = {}): boolean {
  const schema = jsonSchema({ type: 'object', properties: { a }, $defs });
  return !('issues' in schema['~standard'].validate({ a: value }));
}

const rows: readonly (readonly [string, object, readonly unknown[], readonly unknown[]])[] = [
  ['type', { type: 'integer' }, [1, 1.0], ['1', 1.5, null]],
  ['type list', { type: ['string', 'null'] }, ['a', null], [1]],
  ['properties', { properties: { b: { type: 'string' } } }, [{ b: 'x' }, {}], [{ b: 1 }]],
  [
    'required',
    { type: 'object', required: ['b', 'toString'] },
    [{ b: 1, toString: 1 }],
    [{ b: 1 }, {}],
  ],
  [
    'properties of a prototype',
    { properties: { constructor: { type: 'string' } } },
    [{}, { constructor: 'x' }],
    [{ constructor: 1 }],
  ],
  [
    'additionalProperties',
    { properties: { b: true }, additionalProperties: { type: 'string' } },
    [{ b: 1, c: 'x' }],
    [{ c: 1 }],
  ],
  ['items', { items: { type: 'string' } }, [['a'], []], [[1]]],
  ['prefixItems', { prefixItems: [{ type: 'string' }], items: false }, [['a']], [[1], ['a', 1]]],
  ['contains', { contains: { const: 1 } }, [[2, 1]], [[2], []]],
  ['minContains', { contains: { const: 1 }, minContains: 2 }, [[1, 1]], [[1]]],
  ['maxContains', { contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[1, 1]]],
  [
    'patternProperties',
    { patternProperties: { '^x': { type: 'string' } } },
    [{ x1: 'a', y: 1 }],
    [{ x1: 1 }],
  ],
  ['propertyNames', { propertyNames: { pattern: '^[a-z]+$' } }, [{ ab: 1 }], [{ A: 1 }]],
  ['minProperties', { minProperties: 1 }, [{ b: 1 }], [{}]],
  ['maxProperties', { maxProperties: 1 }, [{ b: 1 }], [{ b: 1, c: 1 }]],
  ['minItems', { minItems: 1 }, [[1]], [[]]],
  ['maxItems', { maxItems: 1 }, [[1]], [[1, 2]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [[1, 2, { b: 1 }]],
    [
      [1, 1],
      [{ b: 1 }, { b: 1 }],
    ],
  ],
  ['minLength', { minLength: 2 }, ['ab', '😀😀'], ['a', '😀']],
  ['maxLength', { maxLength: 1 }, ['a', '😀'], ['ab']],
  ['pattern', { pattern: '^[A-Z]+$' }, ['AB'], ['ab']],
  ['minimum', { minimum: 1 }, [1], [0.9]],
  ['maximum', { maximum: 1 }, [1], [1.1]],
  ['exclusiveMinimum', { exclusiveMinimum: 1 }, [1.1], [1]],
  ['exclusiveMaximum', { exclusiveMaximum: 1 }, [0.9], [1]],
  ['multipleOf', { multipleOf: 0.1 }, [0.3, 1.1], [0.35]],
  ['enum', { enum: ['a', null, { b: [1] }] }, ['a', null, { b: [1] }], ['b', { b: [2] }]],
  ['const', { const: { b: 1 } }, [{ b: 1 }], [{ b: 2 }, null]],
  ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 6], [4]],
  ['oneOf', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  [
    'discriminator',
    {
      discriminator: { propertyName: 'k' },
      oneOf: [{ properties: { k: { const: 'a' } }, required: ['k'] }],
    },
    [{ k: 'a' }],
    [{ k: 'b' }, {}],
  ],
  [
    'choices over patterns',
    { anyOf: [{ patternProperties: { '^x': {} }, oneOf: [{ additionalProperties: false }] }, {}] },
    [{ x: 1 }, {}],
    [],
  ],
  ['$ref', { $ref: '#/$defs/X', minLength: 2 }, ['ab'], ['a', 12]],
];

describe('a hand-written schema is enforced', () => {
  test.each(rows)('U-U13: %s', (...[, schema, good, bad]) => {
    const $defs = { X: { type: 'string' } };
    for (const value of good)
      expect(accepts(schema, value, $defs), JSON.stringify(value)).toBe(true);
    for (const value of bad)
      expect(accepts(schema, value, $defs), JSON.stringify(value)).toBe(false);
  });

  test('U-U13: false fits nothing and true anything', () => {
    expect(accepts(false, 1)).toBe(false);
    expect(accepts(true, 1)).toBe(true);
  });

  test.each(['email', 'date', 'uri', 'spelled', 'uuid'])(
    'U-U8: the format %s is a hint',
    (format) => {
      const warned = vi.spyOn(console, 'warn');
      expect(accepts({ type: 'string', format }, 'nope')).toBe(true);
      expect(accepts({ type: 'string', format }, 5)).toBe(false);
      expect(warned).not.toHaveBeenCalled();
    },
  );

  test('U-U8: notes are hints: no default is filled in', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { a: { type: 'string', default: 'x', readOnly: true } },
    });
    expect(schema['~standard'].validate({})).toEqual({ value: {} });
  });
});
