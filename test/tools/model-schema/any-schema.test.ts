import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/errors/config-error.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { jsonSchema } from '../../../src/tools/json-schema.ts';
import { modelSchema } from '../../../src/tools/model-schema.ts';
import { propertiesOf } from './shown.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const VALUES: readonly JsonValue[] = [null, 'a', 1, true, { a: 1 }, [1]];
const GONE: readonly string[] = ['$ref', '$defs', 'oneOf', 'const', 'format', 'pattern', 'not'];

const name = fc.constantFrom('a', 'type', '$ref', 'constructor', '__proto__x');
const type = fc.constantFrom('string', 'number', 'integer', 'null', 'object', 'array', 'boolean');
const value = fc.constantFrom(...VALUES);

const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => {
  const below = tie('schema');
  const several = fc.array(below, { minLength: 1, maxLength: 3 });
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    default: value,
    const: value,
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    minLength: fc.nat(3),
    minimum: fc.integer(),
    format: fc.constantFrom('date', 'spelled'),
    pattern: fc.constantFrom('^a', '(b)+'),
    description: fc.constantFrom('d', 'e'),
    properties: fc.dictionary(name, below, { maxKeys: 2 }),
    required: fc.uniqueArray(name),
    additionalProperties: below,
    propertyNames: below,
    patternProperties: fc.dictionary(fc.constant('^a'), below, { maxKeys: 1 }),
    items: below,
    prefixItems: several,
    contains: below,
    anyOf: several,
    oneOf: several,
    allOf: several,
    not: below,
    $ref: fc.constantFrom('#/$defs/X', '#/$defs/Y'),
  };
  const node = fc.record(keywords, { requiredKeys: [] });
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), node) as fc.Arbitrary<JsonValue> };
});

/** Every schema within a copy. */
function nodes(copy: JsonObject): JsonObject[] {
  const maps = [copy['properties'], copy['patternProperties']] as (JsonObject | undefined)[];
  const lists = [copy['anyOf'], copy['allOf']] as (readonly JsonValue[] | undefined)[];
  const below = [
    ...maps.flatMap((map) => Object.values(map ?? {})),
    ...lists.flatMap((list) => list ?? []),
    copy['items'] ?? true,
    copy['additionalProperties'] ?? true,
  ];
  const objects = below.filter((one) => typeof one === 'object') as JsonObject[];
  return [copy, ...objects.flatMap(nodes)];
}

function orRefusal<T>(build: () => T): T | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

test('B68: whatever the schema, its copy is plain, whole and the same each time, or refused', () => {
  let copied = 0;
  const property = fc.property(schema, schema, schema, (f, X, Y) => {
    const full: JsonObject = { type: 'object', properties: { f }, $defs: { X, Y } };
    const before = JSON.stringify(full);
    const check = orRefusal(() => jsonSchema(full))?.['~standard'].validate;
    for (const one of VALUES) expect(check?.({ f: one })).not.toBeInstanceOf(Promise);
    const copy = orRefusal(() => modelSchema('book', full));
    if (copy === undefined) return;
    copied += 1;
    expect(JSON.stringify(full)).toBe(before);
    expect(JSON.stringify(modelSchema('book', JSON.parse(before)))).toBe(JSON.stringify(copy));
    expect(ajv.validateSchema(copy)).toBe(true);
    expect(Object.keys(propertiesOf(copy))).toEqual(['f']);
    for (const node of nodes(copy)) {
      expect(Object.keys(node)).not.toEqual([]);
      expect(Array.isArray(node['type'])).toBe(false);
      expect(GONE.filter((keyword) => Object.hasOwn(node, keyword))).toEqual([]);
    }
  });
  fc.assert(property, { numRuns: 200 });
  expect(copied).toBeGreaterThan(30);
}, 120_000);
