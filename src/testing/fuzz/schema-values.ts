import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Arbitrary, Fc } from './texts.ts';

/** What values are made of. */
export interface Atoms {
  readonly fc: Fc;
  readonly texts: Arbitrary<string>;
  readonly numbers: Arbitrary<number>;
  /** Any JSON, where a schema says nothing. */
  readonly json: Arbitrary<JsonValue>;
  /** True where nothing optional is to be left out. */
  readonly isComplete: boolean;
}

const MAX_DEPTH = 6;

/** Values that fit a JSON Schema, as far as its usual words tell; what a schema says beyond them is checked later. */
export function schemaValues(
  atoms: Atoms,
  schema: JsonValue,
  root: JsonObject,
): Arbitrary<JsonValue> {
  return valuesOf({ ...atoms, root, depth: 0 }, schema);
}

interface Walk extends Atoms {
  readonly root: JsonObject;
  readonly depth: number;
}

function valuesOf(walk: Walk, schema: JsonValue | undefined): Arbitrary<JsonValue> {
  const { fc } = walk;
  if (!isObject(schema)) return walk.json;
  const inner = { ...walk, depth: walk.depth + 1 };
  const { $ref, enum: choices, anyOf, oneOf, allOf } = schema;
  if ('const' in schema) return fc.constant(schema['const'] ?? null);
  if (Array.isArray(choices) && choices.length > 0)
    return fc.constantFrom(...(choices as JsonValue[]));
  if (walk.depth > MAX_DEPTH) return fc.constant(null);
  if (typeof $ref === 'string') return valuesOf(inner, resolve(walk.root, $ref));
  const either = anyOf ?? oneOf;
  if (Array.isArray(either) && either.length > 0)
    return fc.oneof(...either.map((one: JsonValue) => valuesOf(inner, one)));
  if (Array.isArray(allOf)) return valuesOf(inner, merged(schema, allOf as readonly JsonValue[]));
  const types: readonly unknown[] = Array.isArray(schema['type'])
    ? schema['type']
    : [schema['type']];
  const values = types.map((type) => ofType(inner, schema, type));
  return values.length === 1 && values[0] !== undefined ? values[0] : fc.oneof(...values);
}

function ofType(walk: Walk, schema: JsonObject, type: unknown): Arbitrary<JsonValue> {
  const { fc } = walk;
  switch (type) {
    case 'string':
      return stringsOf(walk, schema);
    case 'integer':
      return numbersIn(walk, schema).map(Math.trunc);
    case 'number':
      return numbersIn(walk, schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arraysOf(walk, schema);
    case 'object':
      return objectsOf(walk, schema);
    default:
      return walk.json;
  }
}

function stringsOf({ fc, texts }: Walk, schema: JsonObject): Arbitrary<JsonValue> {
  const { pattern, format } = schema;
  const min = numberOf(schema['minLength']) ?? 0;
  const max = numberOf(schema['maxLength']) ?? Number.POSITIVE_INFINITY;
  if (format === 'date') return fc.constantFrom('2024-05-01', '1970-01-01', '2024-02-29');
  if (format === 'date-time') return fc.constant('2024-05-01T12:00:00Z');
  if (format === 'email') return fc.emailAddress();
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return fc.webUrl();
  if (typeof pattern === 'string') return matching(fc, pattern) ?? texts;
  return texts.map((text) => text.padEnd(min, 'x').slice(0, max).toWellFormed());
}

function matching(fc: Fc, pattern: string): Arbitrary<JsonValue> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    // Not every expression can be made texts of.
    return undefined;
  }
}

function numbersIn({ fc, numbers }: Walk, schema: JsonObject): Arbitrary<number> {
  const low = numberOf(schema['minimum']) ?? numberOf(schema['exclusiveMinimum']);
  const high = numberOf(schema['maximum']) ?? numberOf(schema['exclusiveMaximum']);
  if (low === undefined && high === undefined) return numbers;
  const [min, max] = [low ?? (high ?? 0) - 1e6, high ?? (low ?? 0) + 1e6];
  const near = fc.constantFrom(...[min, min + 1, max - 1, max].filter((n) => n >= min && n <= max));
  return fc.oneof(
    near,
    numbers.map((number) => Math.min(max, Math.max(min, number))),
  );
}

function arraysOf(walk: Walk, schema: JsonObject): Arbitrary<JsonValue> {
  const minLength = numberOf(schema['minItems']) ?? (walk.isComplete ? 1 : 0);
  const maxLength = Math.max(minLength, Math.min(numberOf(schema['maxItems']) ?? 4, minLength + 4));
  return walk.fc.array(valuesOf(walk, schema['items']), { minLength, maxLength });
}

function objectsOf(walk: Walk, schema: JsonObject): Arbitrary<JsonValue> {
  const { properties, required } = schema;
  if (!isObject(properties))
    return walk.fc.dictionary(walk.texts, walk.json, { maxKeys: 4, noNullPrototype: true });
  const model = Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, valuesOf(walk, value)]),
  );
  if (walk.isComplete) return walk.fc.record(model, { noNullPrototype: true });
  const needed = Array.isArray(required) ? required.map(String) : [];
  return walk.fc.record(model, {
    requiredKeys: needed.filter((key) => key in model),
    noNullPrototype: true,
  });
}

function merged(schema: JsonObject, parts: readonly JsonValue[]): JsonObject {
  const { allOf: _allOf, ...own } = schema;
  return Object.assign({}, ...parts.filter(isObject), own) as JsonObject; // Of objects, as the filter says.
}

function resolve(root: JsonObject, ref: string): JsonValue | undefined {
  let at: JsonValue | undefined = root;
  for (const key of ref.replace(/^#\/?/, '').split('/')) {
    if (key === '') continue;
    at = isObject(at) ? at[key] : undefined;
  }
  return at;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
