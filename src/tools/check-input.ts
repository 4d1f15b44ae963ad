import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { kindOf } from '../internal/kind-of.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { toJson } from '../internal/to-json.ts';
import { unsafeKey } from '../internal/unsafe-key.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { describeIssues, pathOf } from './describe-issues.ts';
import { pruneUnknown } from './prune-unknown.ts';
import {
  isZod,
  parseWith,
  type SchemaIssue,
  type SchemaResult,
  type ToolSchema,
} from './schema.ts';

export type Checked = { readonly input: JsonObject } | { readonly problem: string };

/**
 * Checks wire JSON against a schema. What comes back is still wire JSON, frozen and of its own: without the
 * keys the schema drops, and without a `null` where the schema wants the key to be absent, which is how
 * several models leave an optional field out.
 */
export function checkInput(
  toolName: string,
  schema: ToolSchema,
  value: JsonValue,
): MaybePromise<Checked> {
  const unfit = shapeProblem(value);
  if (unfit !== undefined) return { problem: `the input of tool '${toolName}' ${unfit}` };
  // An object by the check above. What is frozen was read or copied by the engine, and is plain JSON already.
  const wire = (Object.isFrozen(value) ? value : toJson(value)) as JsonObject;
  return whenParsed(schema, wire, (result) =>
    result.issues === undefined
      ? accepted(schema, wire)
      : withoutNulls({ toolName, schema, wire, issues: result.issues }),
  );
}

/** What no schema has to be asked about. */
function shapeProblem(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `must be a JSON object, and it is ${kindOf(value)}`;
  }
  if (Object.isFrozen(value)) return undefined;
  if (!isJson(value)) return 'is not plain JSON, or nested too deeply, or too large';
  const key = unsafeKey(value);
  return key === undefined ? undefined : `holds the key '${key}', which no tool accepts`;
}

function accepted(schema: ToolSchema, wire: JsonObject): Checked {
  const pruned = isZod(schema) ? pruneUnknown(schema, wire) : wire;
  return { input: deepFreeze(pruned as JsonObject) }; // Pruning an object gives an object.
}

interface Refused {
  readonly toolName: string;
  readonly schema: ToolSchema;
  readonly wire: JsonObject;
  readonly issues: readonly SchemaIssue[];
}

/** Reads a refused `null` as "absent" and asks once more; if that does not settle it, the first faults count. */
function withoutNulls(refused: Refused): MaybePromise<Checked> {
  const lighter = dropNulls(refused.wire, refused.issues);
  if (lighter === undefined) return { problem: problemOf(refused) };
  return whenParsed(refused.schema, lighter, (result) =>
    result.issues === undefined
      ? accepted(refused.schema, lighter)
      : { problem: problemOf(refused) },
  );
}

/** A copy without the members that are `null` and that an issue points at; `undefined` when there is none. */
function dropNulls(wire: JsonObject, issues: readonly SchemaIssue[]): JsonObject | undefined {
  const copy = structuredClone(wire);
  let dropped = false;
  for (const issue of issues) {
    const path = pathOf(issue);
    const key = path.at(-1);
    const parent = path.slice(0, -1).reduce<unknown>(readOwn, copy);
    if (key === undefined || Array.isArray(parent) || readOwn(parent, key) !== null) continue;
    Reflect.deleteProperty(parent as object, key); // Something that has an own member is an object.
    dropped = true;
  }
  return dropped ? copy : undefined;
}

function readOwn(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function problemOf({ toolName, issues, wire }: Refused): string {
  return `the input of tool '${toolName}' does not fit: ${describeIssues(issues, wire)}`;
}

function whenParsed(
  schema: ToolSchema,
  value: JsonObject,
  then: (result: SchemaResult<unknown>) => MaybePromise<Checked>,
): MaybePromise<Checked> {
  const result = parseWith(schema, value);
  return isThenable(result) ? result.then(then) : then(result);
}
