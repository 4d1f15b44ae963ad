import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { withoutNullDefault } from './null-default.ts';
import { isSchemaObject, listOf } from './schema-keywords.ts';

/**
 * A schema without the null of its null default and without choices that are none; `false` where nothing fits,
 * `true` where everything does.
 */
export function settle(schema: JsonValue, omittable: boolean): JsonObject | boolean {
  if (isNever(schema)) return false;
  if (!isSchemaObject(schema)) return true;
  const node = withoutNullDefault(schema, omittable);
  for (const keyword of ['anyOf', 'oneOf']) {
    if (!Object.hasOwn(node, keyword)) continue;
    const choices = listOf(node[keyword]);
    const left = choices.filter((choice) => !isNever(choice));
    const { [keyword]: _, ...rest } = node;
    if (left.length < 2) return settle(mergeSchemas(rest, left[0] ?? false), omittable);
    if (left.length < choices.length) return settle({ ...node, [keyword]: left }, omittable);
  }
  return node;
}

function isNever(schema: JsonValue): boolean {
  if (!isSchemaObject(schema)) return schema === false;
  const { not } = schema;
  return not === true || (isSchemaObject(not) && Object.keys(not).length === 0);
}
