import { jsonEqual } from '../internal/json-equal.ts';
import type { JsonObject } from '../protocol/json.ts';
import { formsOf, isObject, listOf, propertiesOf, valuesOf } from './schema-at.ts';

/** A schema, and the document that its references mean. */
export interface Rooted {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

/** What cannot go where it is to go, in words. */
export interface Misfit {
  /** Keys below the two schemas; empty for themselves. */
  readonly path: readonly string[];
  readonly gives: string;
  readonly takes: string;
}

/**
 * A form of values that the second schema never takes; nothing where every form may fit. Only what is sure: limits,
 * patterns and what a schema does not say are left to the check of each value.
 */
export function misfitOf(gives: Rooted, takes: Rooted, depth = 0): Misfit | undefined {
  const given = formsOf(gives.schema, gives.root);
  const taken = formsOf(takes.schema, takes.root);
  if (given === undefined || taken === undefined || depth > MAX_DEPTH) return undefined;
  for (const form of given) {
    const near = taken.filter((one) => sameType(form, one));
    const words = { path: [], gives: wordOf(form), takes: taken.map(wordOf).join(' or ') };
    if (!near.some((one) => sharesValue(form, one))) return words;
    const below = near.map((one) => misfitBelow({ gives, takes, depth }, form, one));
    const [first] = below;
    if (first !== undefined && !below.includes(undefined)) return first;
  }
  return undefined;
}

const MAX_DEPTH = 12;

function sameType(form: JsonObject, other: JsonObject): boolean {
  return numeric(form['type']) === numeric(other['type']);
}

/** Whether a number is a whole one is left to the check of the value. */
function numeric(type: unknown): unknown {
  return type === 'integer' ? 'number' : type;
}

function sharesValue(form: JsonObject, other: JsonObject): boolean {
  const [values, others] = [valuesOf(form), valuesOf(other)];
  if (values === undefined || others === undefined) return true;
  return values.some((value) => others.some((one) => jsonEqual(value, one)));
}

function wordOf(form: JsonObject): string {
  const values = 'const' in form || 'enum' in form ? valuesOf(form) : undefined;
  return values === undefined
    ? String(form['type'])
    : values.map((v) => JSON.stringify(v)).join(' | ');
}

function misfitBelow(
  {
    gives,
    takes,
    depth,
  }: { readonly gives: Rooted; readonly takes: Rooted; readonly depth: number },
  form: JsonObject,
  other: JsonObject,
): Misfit | undefined {
  const go = (key: string, from: unknown, to: unknown): Misfit | undefined => {
    if (!isSchema(from) || !isSchema(to)) return undefined;
    const found = misfitOf({ ...gives, schema: from }, { ...takes, schema: to }, depth + 1);
    return found && { ...found, path: [key, ...found.path] };
  };
  if (form['type'] === 'array') return go('0', form['items'], other['items']);
  if (form['type'] !== 'object') return undefined;
  const [from, to] = [propertiesOf(form), propertiesOf(other)];
  const isClosed = form['properties'] !== undefined && form['additionalProperties'] !== true;
  for (const key of listOf(other['required']).map(String)) {
    if (Object.hasOwn(from, key) || !isClosed || isObject(form['additionalProperties'])) continue;
    return { path: [key], gives: 'nothing', takes: 'a value' };
  }
  for (const [key, member] of Object.entries(from)) {
    const found = Object.hasOwn(to, key) ? go(key, member, to[key]) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSchema(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
