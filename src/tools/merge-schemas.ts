import { jsonEqual } from '../internal/json-equal.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isSchemaObject, listOf } from './schema-keywords.ts';

/** What says something about a value without limiting it. Of two the one nearer to the use counts. */
const NOTES: ReadonlySet<string> = new Set(
  '$comment title description default examples example deprecated readOnly writeOnly discriminator'.split(
    ' ',
  ),
);

/** Keywords whose meaning depends on one another, so that two of a row cannot come from two schemas. */
const GROUPS: readonly (readonly string[])[] = [
  ['additionalProperties', 'properties', 'patternProperties', 'propertyNames'],
  ['items', 'prefixItems'],
  ['contains', 'minContains', 'maxContains'],
  ['format', 'pattern'],
];

/** One schema that asks for what both ask. What cannot be put together goes under `allOf`. */
export function mergeSchemas(first: JsonObject, second: JsonValue): JsonObject | false {
  if (second === false) return false;
  if (!isSchemaObject(second)) return first;
  return combine(first, second) ?? { ...first, allOf: [...listOf(first['allOf']), second] };
}

/** The same as one flat schema; `undefined` where they cannot be put together. */
export function combine(first: JsonObject, second: JsonObject): JsonObject | undefined {
  const merged = new Map<string, JsonValue>(Object.entries(first));
  for (const [keyword, value] of Object.entries(second)) {
    const both = together(keyword, first, second);
    if (both === undefined) return undefined;
    if (!isNote(keyword) || !Object.hasOwn(first, keyword)) merged.set(keyword, both(value));
  }
  return Object.fromEntries(merged);
}

/** How a keyword of the second becomes one of both; `undefined` when it cannot. */
function together(
  keyword: string,
  first: JsonObject,
  second: JsonObject,
): ((value: JsonValue) => JsonValue) | undefined {
  const here = first[keyword];
  const own = Object.hasOwn(first, keyword);
  if (isNote(keyword) || (own && jsonEqual(here, second[keyword]))) return same;
  if (keyword === 'allOf') return (value) => [...listOf(here), ...listOf(value)];
  if (keyword === 'required') return (value) => [...new Set([...listOf(here), ...listOf(value)])];
  const group = GROUPS.find((one) => one.includes(keyword)) ?? [];
  const meeting = group.filter((one) => Object.hasOwn(first, one));
  if (keyword === 'properties' && meeting.every((one) => one === keyword) && isOpen(second)) {
    return disjoint(here, second[keyword])
      ? (value) => ({ ...members(here), ...members(value) })
      : undefined;
  }
  return own || meeting.length > 0 ? undefined : same;
}

function same(value: JsonValue): JsonValue {
  return value;
}

function isOpen(schema: JsonObject): boolean {
  return !(
    'additionalProperties' in schema ||
    'patternProperties' in schema ||
    'propertyNames' in schema
  );
}

function disjoint(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const names = Object.keys(members(a));
  return names.every((name) => !Object.hasOwn(members(b), name));
}

function members(value: JsonValue | undefined): JsonObject {
  return isSchemaObject(value) ? value : {};
}

function isNote(keyword: string): boolean {
  return NOTES.has(keyword) || keyword.startsWith('x-');
}
