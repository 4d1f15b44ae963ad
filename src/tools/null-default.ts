import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isSchemaObject } from './schema-keywords.ts';

/**
 * Without the null of a value that may be left out and is null then: leaving it out says the same, and models
 * that see a null there write it in place of a value they have. `omittable` is whether it may be left out.
 */
export function withoutNullDefault(node: JsonObject, omittable: boolean): JsonObject {
  if (node['default'] !== null || !omittable) return node;
  // Where null is all that fits, it has to stay.
  const left = withoutNull(node);
  return isSchemaObject(left) ? left : node;
}

/** What is left of a schema when null no longer fits; `undefined` for nothing. */
function withoutNull(schema: JsonValue): JsonValue | undefined {
  if (!isSchemaObject(schema)) return schema;
  const left = new Map<string, JsonValue>();
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'default' && value === null) continue;
    const rest = withoutNullIn(keyword, value);
    if (rest === undefined) return undefined;
    left.set(keyword, rest);
  }
  return Object.fromEntries(left);
}

function withoutNullIn(keyword: string, value: JsonValue): JsonValue | undefined {
  switch (keyword) {
    case 'type':
      if (!Array.isArray(value)) return value === 'null' ? undefined : value;
      return whole(value.filter((type) => type !== 'null'));
    case 'const':
      return value === null ? undefined : value;
    case 'enum':
      return Array.isArray(value) ? whole(value.filter((one) => one !== null)) : value;
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? whole(value.map(withoutNull).filter(isDefined)) : value;
    case 'allOf': {
      const members = Array.isArray(value) ? value.map(withoutNull) : [];
      return members.every(isDefined) ? members : undefined;
    }
    default:
      return value;
  }
}

function whole(list: readonly JsonValue[]): readonly JsonValue[] | undefined {
  return list.length === 0 ? undefined : list;
}

function isDefined(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined;
}
