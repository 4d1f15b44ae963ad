import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { refusal, shown, toolWith } from './shown.ts';
import { EXPRESSIBLE, INEXPRESSIBLE } from './zod-vocabulary.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** The places a schema may stand in, each with what a model writes there. */
const PLACES: readonly (readonly [
  string,
  (schema: z.ZodType) => z.ZodType,
  (sample: JsonValue) => JsonValue,
])[] = [
  ['as it is', (schema) => schema, (sample) => sample],
  ['optional', (schema) => schema.optional(), (sample) => sample],
  ['nullable', (schema) => schema.nullable(), (sample) => sample],
  ['null by default', (schema) => schema.nullable().default(null), (sample) => sample],
  ['readonly', (schema) => schema.readonly(), (sample) => sample],
  ['described', (schema) => schema.describe('What it is'), (sample) => sample],
  ['lazy', (schema) => z.lazy(() => schema), (sample) => sample],
  ['before a transform', (schema) => schema.transform((value) => [value]), (sample) => sample],
  ['in an array', (schema) => z.array(schema), (sample) => [sample]],
  ['in a tuple', (schema) => z.tuple([z.literal('k'), schema]), (sample) => ['k', sample]],
  ['in a record', (schema) => z.record(z.string(), schema), (sample) => ({ k: sample })],
  ['in a union', (schema) => z.union([schema, z.literal('other')]), (sample) => sample],
  ['in an object', (schema) => z.object({ deep: schema }), (sample) => ({ deep: sample })],
  [
    'in an intersection',
    (schema) => z.object({ deep: schema }).and(z.object({ k: z.int() })),
    (sample) => ({ deep: sample, k: 1 }),
  ],
];

/** The keys of every object within a schema, by walking zod's own definitions. */
function keysOf(schema: unknown, seen: Set<unknown> = new Set()): Set<string> {
  const keys = new Set<string>();
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return keys;
  seen.add(schema);
  const below = (value: unknown): void => {
    for (const key of keysOf(value, seen)) keys.add(key);
  };
  if (Array.isArray(schema)) for (const one of schema) below(one);
  if (!('_zod' in schema)) return keys;
  const { def } = schema._zod as { def: Record<string, unknown> }; // What every schema of zod has.
  const shape = (def['shape'] ?? {}) as Record<string, unknown>;
  for (const key of Object.keys(shape)) {
    keys.add(key);
    below(shape[key]);
  }
  if (typeof def['getter'] === 'function') below(def['getter']());
  const parts = ['element', 'items', 'rest', 'options', 'left', 'right', 'innerType', 'valueType'];
  for (const part of [...parts, 'catchall', 'in', 'out']) below(def[part]);
  return keys;
}

/** Every schema within a copy, itself included. */
function nodes(schema: JsonValue | undefined): JsonObject[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(nodes);
  const node = schema as JsonObject; // No array by the check above.
  const members = [membersOf(node, 'properties'), membersOf(node, 'patternProperties')];
  const parts = ['items', 'anyOf', 'allOf', 'additionalProperties'].map((keyword) => node[keyword]);
  return [node, ...[...members.flatMap(Object.values<JsonValue>), ...parts].flatMap(nodes)];
}

function membersOf(node: JsonObject, keyword: string): JsonObject {
  return (node[keyword] ?? {}) as JsonObject; // What these two keywords hold.
}

function propertyNames(copy: JsonObject): string[] {
  return nodes(copy).flatMap((node) => Object.keys(membersOf(node, 'properties')));
}

describe.each(PLACES)("zod's vocabulary, %s", (_, wrap, wrapSample) => {
  test.each(EXPRESSIBLE)('$name is expressed whole', async ({ schema, sample }) => {
    const inputSchema = z.object({ field: wrap(schema) });
    const input = { field: wrapSample(sample) };
    const full = z.toJSONSchema(inputSchema, { io: 'input', unrepresentable: 'any' });
    const copy = shown(inputSchema);

    expect(ajv.validateSchema(full)).toBe(true);
    expect(ajv.validateSchema(copy)).toBe(true);
    expect(await toolWith(inputSchema).check(input)).toHaveProperty('input');
    expect(ajv.validate(full, input), ajv.errorsText()).toBe(true);
    expect(ajv.validate(copy, input), `${ajv.errorsText()}: ${JSON.stringify(copy)}`).toBe(true);
    for (const key of keysOf(inputSchema)) expect(propertyNames(copy)).toContain(key);
    for (const node of nodes(copy)) {
      expect(Object.keys(node)).not.toEqual([]);
      expect(Array.isArray(node['type'])).toBe(false);
      for (const gone of [
        '$ref',
        '$defs',
        'oneOf',
        'const',
        'format',
        'pattern',
        'prefixItems',
        'not',
      ])
        expect(Object.hasOwn(node, gone), `${gone} in ${JSON.stringify(node)}`).toBe(false);
    }
  });

  test.each(INEXPRESSIBLE)('%s is refused, naming tool and field', (kind, schema) => {
    const error = refusal(() => shown(z.object({ field: wrap(schema) })));
    expect(error.code).toBe('invalid-tool');
    expect(error.message).toMatch(/^tool 'book': the field 'field(\.[*a-z.]+)?' /);
    expect(error.message).toContain(kind);
  });
});

describe("zod's vocabulary", () => {
  test('every kind of schema that zod exports is in the table', () => {
    const kinds = Object.keys(z).filter(
      (name) => /^Zod[A-Z]/.test(name) && 'init' in Reflect.get(z, name),
    );
    const schemas = [
      ...EXPRESSIBLE.map((one) => one.schema),
      ...INEXPRESSIBLE.map(([, one]) => one),
      z.never(),
    ];
    const tried = new Set(schemas.flatMap((schema) => traitsOf(schema)));
    const noSchemas = ['ZodError', 'ZodRealError', 'ZodType'];
    expect(kinds.filter((kind) => !tried.has(kind) && !noSchemas.includes(kind))).toEqual([]);
  });

  test('a field that nothing fits stays, and says so', () => {
    expect(shown(z.object({ a: z.never().optional(), b: z.enum([]).optional() }))).toHaveProperty(
      'properties.b.description',
      'Leave this out: no value fits.',
    );
  });

  test('what zod throws by itself is a refusal with its cause', () => {
    const lazy = z.lazy((): z.ZodType => {
      throw new Error('no schema');
    });
    const error = refusal(() => shown(z.object({ a: lazy })));
    expect(error.message).toContain("tool 'book': zod cannot express `inputSchema`");
    expect(error.cause).toHaveProperty('message', 'no schema');
  });
});

/** The kinds of a schema and of what it is made of. */
function traitsOf(schema: unknown, seen: Set<unknown> = new Set()): string[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  if (!('_zod' in schema)) return Object.values(schema).flatMap((one) => traitsOf(one, seen));
  const { def, traits } = schema._zod as { def: object; traits: Set<string> }; // As above.
  return [...traits, ...Object.values(def).flatMap((part) => traitsOf(part, seen))];
}
