import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** What stands under a keyword: one schema, a list of them, a map of names to them, or something that is none. */
type Holds = 'schema' | 'list' | 'map' | 'value';

/** Every keyword a tool's schema may have, beside notes of its own that begin with `x-`. */
const KEYWORDS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...all('schema', 'additionalProperties items contains propertyNames not'),
  ...all('list', 'prefixItems anyOf oneOf allOf'),
  ...all('map', '$defs properties patternProperties'),
  ...all('value', '$schema $ref type required minContains maxContains minProperties maxProperties'),
  ...all('value', 'minItems maxItems uniqueItems minLength maxLength pattern minimum maximum'),
  ...all('value', 'exclusiveMinimum exclusiveMaximum multipleOf enum const discriminator'),
  ...all('value', 'description title default examples example deprecated readOnly writeOnly'),
  ...all('value', 'format $comment'),
]);

/** Arguments are one plain object: what else a schema asks for belongs into a property. */
const ROOT_KEYWORDS: ReadonlySet<string> = new Set(
  words('$schema $defs type properties required additionalProperties description title $comment'),
);

function all(holds: Holds, keywords: string): [string, Holds][] {
  return words(keywords).map((keyword) => [keyword, holds]);
}

function words(text: string): string[] {
  return text.split(' ');
}

export const KEYWORD_NAMES: readonly string[] = [...KEYWORDS.keys()];

export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name) || name.startsWith('x-');
}

export function isRootKeyword(name: string): boolean {
  return ROOT_KEYWORDS.has(name) || name.startsWith('x-');
}

export function isSchemaObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A schema within another one, and where it stands there, as in `properties.phone`. */
export interface Subschema {
  readonly keyword: string;
  readonly schema: JsonValue;
  readonly at: string;
}

/** The schemas right below one. What is data, such as a default, holds none, whatever it looks like. */
export function subschemas(node: JsonObject, at: string): Subschema[] {
  const found: Subschema[] = [];
  mapSubschemas(node, at, (schema, below, keyword) => {
    found.push({ keyword, schema, at: below });
    return schema;
  });
  return found;
}

/** A copy in which the schemas right below are replaced. Names of properties are never taken for keywords. */
export function mapSubschemas(
  node: JsonObject,
  at: string,
  map: (schema: JsonValue, at: string, keyword: string) => JsonValue,
): JsonObject {
  const replace = ([keyword, value]: [string, JsonValue]): [string, JsonValue] => {
    const place = at === '' ? keyword : `${at}.${keyword}`;
    switch (KEYWORDS.get(keyword)) {
      case 'schema':
        return [keyword, map(value, place, keyword)];
      case 'list':
        if (!Array.isArray(value)) return [keyword, value];
        return [keyword, value.map((one, index) => map(one, `${place}[${index}]`, keyword))];
      case 'map':
        if (!isSchemaObject(value)) return [keyword, value];
        return [keyword, mapMembers(value, (one, name) => map(one, `${place}.${name}`, keyword))];
      default:
        return [keyword, value];
    }
  };
  return Object.fromEntries(Object.entries(node).map(replace));
}

/** Also for a member called `__proto__`, which an assignment would lose. */
export function mapMembers(
  members: JsonObject,
  map: (member: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, map(member, name)]),
  );
}
