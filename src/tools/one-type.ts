import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { listOf } from './schema-keywords.ts';

/** To which type a keyword belongs. The others are about a value of any type. */
const OF_TYPE: ReadonlyMap<string, string> = new Map([
  ...of('string', 'minLength maxLength pattern format'),
  ...of('number', 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'),
  ...of(
    'array',
    'items prefixItems contains minContains maxContains minItems maxItems uniqueItems',
  ),
  ...of('object', 'properties required additionalProperties patternProperties propertyNames'),
  ...of('object', 'minProperties maxProperties'),
]);

function of(type: string, keywords: string): [string, string][] {
  return keywords.split(' ').map((keyword) => [keyword, type]);
}

const CHOICES: readonly string[] = ['anyOf', 'oneOf'];

/**
 * The same with one type in each place: several types become several choices, a constant becomes a list of one,
 * and a schema that says nothing of its type gets the one its keywords are for. Only the place itself, not what
 * is below.
 */
export function withOneType(node: JsonObject): JsonObject {
  const { type: given, const: constant, enum: listed, ...rest } = node;
  const values = Object.hasOwn(node, 'const')
    ? [constant ?? null]
    : Array.isArray(listed)
      ? listed
      : undefined;
  const types = typesOf(given, values) ?? impliedTypes(rest);
  if (types === undefined) return rest;
  const narrow = types.flatMap((type) => narrowed(type, { values, rest }));
  const others = ofAnyType(rest);
  const [only] = narrow;
  if (only === undefined) return { ...others, not: {} };
  return narrow.length === 1 ? { ...only, ...others } : withChoices(others, narrow);
}

/** Adds choices to a schema that may have some already. */
function withChoices(node: JsonObject, choices: readonly JsonValue[]): JsonObject {
  return Object.hasOwn(node, 'anyOf')
    ? { ...node, allOf: [...listOf(node['allOf']), { anyOf: choices }] }
    : { ...node, anyOf: choices };
}

function typesOf(
  given: JsonValue | undefined,
  values: readonly JsonValue[] | undefined,
): readonly string[] | undefined {
  const said = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string');
  const types = said.length > 0 ? said : values?.map(typeOf);
  if (types === undefined) return undefined;
  const unique = [...new Set(types)];
  return unique.includes('number') ? unique.filter((type) => type !== 'integer') : unique;
}

function impliedTypes(rest: JsonObject): readonly string[] | undefined {
  if (CHOICES.some((keyword) => Object.hasOwn(rest, keyword))) return undefined;
  const implied = Object.keys(rest).map((keyword) => OF_TYPE.get(keyword));
  const type = implied.find((one) => one !== undefined);
  return type === undefined ? undefined : [type];
}

interface Parts {
  readonly values: readonly JsonValue[] | undefined;
  readonly rest: JsonObject;
}

/** The schema of one type, or none when no listed value has it. */
function narrowed(type: string, { values, rest }: Parts): JsonObject[] {
  const fitting = values?.filter((value) => hasType(value, type));
  if (fitting?.length === 0) return [];
  const own = Object.entries(rest).filter(([keyword]) => isOf(keyword, type));
  const listed = fitting === undefined || type === 'null' ? {} : { enum: fitting };
  return [{ type, ...listed, ...Object.fromEntries(own) }];
}

/** What is about values of any type, and so stays where it is. */
function ofAnyType(rest: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rest).filter(([keyword]) => !OF_TYPE.has(keyword)));
}

function isOf(keyword: string, type: string): boolean {
  const owner = OF_TYPE.get(keyword);
  return owner === (type === 'integer' ? 'number' : type);
}

/** The type of a value as schemas call it. */
function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function hasType(value: JsonValue, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}
