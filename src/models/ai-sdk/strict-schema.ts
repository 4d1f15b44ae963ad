import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/**
 * The schema in the form that strict providers ask for: every object names all its members as required and allows no
 * other. A member that may be absent may be `null` instead, which the engine reads back as absent, so a default needs no
 * saying. What allows members of any name stays as it is: that cannot be said strictly.
 */
export function strictSchema(schema: JsonObject): JsonObject {
  return strictObject(schema) as JsonObject; // An object stays one.
}

/** Under these stand schemas by name, and not members of a schema. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Under these stand values. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'examples', 'required']);

function strictNode(node: JsonValue): JsonValue {
  if (typeof node !== 'object' || node === null) return node;
  return isList(node) ? node.map(strictNode) : strictObject(node);
}

function strictObject(node: JsonObject): JsonValue {
  const strict: { [key: string]: JsonValue } = {};
  for (const [key, member] of Object.entries(node)) {
    if (key === 'default') continue;
    if (VALUES.has(key)) strict[key] = member;
    else strict[key] = BY_NAME.has(key) && isObject(member) ? byName(member) : strictNode(member);
  }
  const { properties, additionalProperties = false } = strict;
  if (!isObject(properties) || additionalProperties !== false) return strict;
  const required = isList(node['required']) ? node['required'] : [];
  return {
    ...strict,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [
        name,
        required.includes(name) ? member : { anyOf: [member, { type: 'null' }] },
      ]),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function byName(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, strictNode(schema)]),
  );
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** `Array.isArray` does not narrow a readonly array out of the union. */
function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
