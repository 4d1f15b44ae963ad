import type * as z from 'zod';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

/**
 * Takes out the keys that a zod schema would drop while parsing, so that policies judge and stores keep just
 * what `execute` will see. Follows only schemas whose wire form is plain: past a union, a transform or a lazy
 * schema everything stays. Returns the same value when there is nothing to take out.
 */
export function pruneUnknown(schema: z.core.$ZodType, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  // Every schema of zod is one of these; the base class only hides which.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return isList(value) ? value : pruneObject(def, value);
    case 'array':
      return isList(value) ? pruneList(def.element, value) : value;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
    case 'nonoptional':
      return pruneUnknown(def.innerType, value);
    case 'pipe':
      return pruneUnknown(def.in, value);
    default:
      return value;
  }
}

function pruneObject(def: z.core.$ZodObjectDef, value: JsonObject): JsonObject {
  let kept: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue; // the key is its own
    const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    if (field === undefined) {
      if (def.catchall !== undefined) continue;
      kept ??= { ...value };
      delete kept[key];
      continue;
    }
    const pruned = pruneUnknown(field, member);
    if (pruned === member) continue;
    kept ??= { ...value };
    kept[key] = pruned;
  }
  return kept ?? value;
}

function pruneList(element: z.core.$ZodType, values: readonly JsonValue[]): readonly JsonValue[] {
  const pruned = values.map((value) => pruneUnknown(element, value));
  return pruned.some((value, index) => value !== values[index]) ? pruned : values;
}

/** `Array.isArray` does not narrow a readonly array out of the union. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
