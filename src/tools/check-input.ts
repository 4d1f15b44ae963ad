import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { kindOf } from '../internal/kind-of.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { toJson } from '../internal/to-json.ts';
import { unsafeKey } from '../internal/unsafe-key.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { type ArgumentNames, argumentProblem } from './check-arguments.ts';
import { describeIssues, pathOf } from './describe-issues.ts';
import type { InputProblem } from './input-port.ts';
import { pruneUnknown } from './prune-unknown.ts';
import {
  isZod,
  parseWith,
  type SchemaIssue,
  type SchemaResult,
  type ToolSchema,
} from './schema.ts';

export type Checked = { readonly input: JsonObject } | InputProblem;

/** `input` is wire JSON, and `value` what the schema made of it. */
export type Parsed = { readonly input: JsonObject; readonly value: unknown } | InputProblem;

/** What is checked, in the words of whoever reads the problem. */
export interface Checking {
  readonly subject: string;
  /** What a fault of the whole value is named by. */
  readonly root: 'input' | 'output';
  readonly schema: ToolSchema;
  /** Which arguments there are, where it is the arguments of a tool. */
  readonly names?: ArgumentNames;
  /** Arguments that the model does not give: what is wrong with them is told without a word about them. */
  readonly locked?: ReadonlySet<string>;
  /** True for an input without those: what is said of them, and of the whole, does not count. */
  readonly isPart?: true;
}

/**
 * Checks wire JSON against the names of the arguments and then against a schema. What comes back is still wire JSON, frozen and of its own: without the
 * keys the schema drops, and without a `null` where the schema wants the key to be absent, which is how
 * several models leave an optional field out.
 */
export function checkInput(checking: Checking, value: JsonValue): MaybePromise<Checked> {
  return check({ checking, accept: inputOnly }, value);
}

/** The same, with what the schema makes of it. */
export function parseInput(checking: Checking, value: JsonValue): MaybePromise<Parsed> {
  return check({ checking, accept: withValue }, value);
}

const inputOnly = (input: JsonObject): Checked => ({ input });
const withValue = (input: JsonObject, value: unknown): Parsed => ({ input, value });

interface Check<Accepted> {
  readonly checking: Checking;
  readonly accept: (input: JsonObject, parsed: unknown) => Accepted;
}

function check<Accepted>(
  about: Check<Accepted>,
  value: JsonValue,
): MaybePromise<Accepted | InputProblem> {
  const { subject, schema, names } = about.checking;
  const unfit = shapeProblem(value);
  if (unfit !== undefined) return { problem: `${subject} ${unfit}` };
  // An object by the check above. What is frozen was read or copied by the engine, and is plain JSON already.
  const wire = (Object.isFrozen(value) ? value : toJson(value)) as JsonObject;
  const misnamed = names === undefined ? undefined : argumentProblem(names, wire);
  if (misnamed !== undefined) return misnamed;
  return whenParsed(schema, wire, (result) => {
    const issues = objections(about.checking, result);
    return issues.length === 0
      ? about.accept(prune(schema, wire), result.issues === undefined ? result.value : undefined)
      : withoutNulls(about, wire, issues);
  });
}

/** What the schema has against the value, as far as it counts and may be told. */
function objections(
  { locked, isPart }: Checking,
  { issues = [] }: SchemaResult<unknown>,
): readonly SchemaIssue[] {
  if (locked === undefined || issues.length === 0) return issues;
  const isLocked = (issue: SchemaIssue): boolean => locked.has(String(pathOf(issue)[0] ?? ''));
  if (isPart === true)
    return issues.filter((issue) => pathOf(issue).length > 0 && !isLocked(issue));
  return issues.map((issue) =>
    isLocked(issue) ? { path: pathOf(issue).slice(0, 1), message: LOCKED_MISFIT } : issue,
  );
}

const LOCKED_MISFIT =
  'the value that this conversation has for it is not one that the tool takes, and no other can be given';

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

function prune(schema: ToolSchema, wire: JsonObject): JsonObject {
  const pruned = isZod(schema) ? pruneUnknown(schema, wire) : wire;
  return deepFreeze(pruned as JsonObject); // Pruning an object gives an object.
}

/** Reads a refused `null` as "absent" and asks once more; if that does not settle it, the first faults count. */
function withoutNulls<Accepted>(
  { checking, accept }: Check<Accepted>,
  wire: JsonObject,
  issues: readonly SchemaIssue[],
): MaybePromise<Accepted | InputProblem> {
  const { schema } = checking;
  const refused = (): InputProblem => ({
    problem: `${checking.subject} does not fit: ${describeIssues(issues, wire, checking.root)}`,
  });
  const lighter = dropNulls(wire, issues);
  if (lighter === undefined) return refused();
  return whenParsed(schema, lighter, (result) => {
    if (objections(checking, result).length > 0) return refused();
    const value = result.issues === undefined ? result.value : undefined;
    return accept(prune(schema, lighter), value);
  });
}

/** A copy without the members that are `null` and that an issue points at; `undefined` when there is none. */
function dropNulls(wire: JsonObject, issues: readonly SchemaIssue[]): JsonObject | undefined {
  const copy = structuredClone(wire);
  let dropped = false;
  for (const path of issues.flatMap((issue) => pathsIn(issue, []))) {
    const key = path.at(-1);
    const parent = path.slice(0, -1).reduce<unknown>(readOwn, copy);
    if (key === undefined || Array.isArray(parent) || readOwn(parent, key) !== null) continue;
    Reflect.deleteProperty(parent as object, key); // Something that has an own member is an object.
    dropped = true;
  }
  return dropped ? copy : undefined;
}

/** Of a union, also what each alternative objects to. */
function pathsIn(issue: SchemaIssue, parent: readonly PropertyKey[]): (readonly PropertyKey[])[] {
  const path = [...parent, ...pathOf(issue)];
  const below = (issue.errors ?? []).flat();
  return [path, ...below.flatMap((each) => pathsIn(each, path))];
}

function readOwn(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function whenParsed<Answer>(
  schema: ToolSchema,
  value: JsonObject,
  then: (result: SchemaResult<unknown>) => MaybePromise<Answer>,
): MaybePromise<Answer> {
  const result = parseWith(schema, value);
  return isThenable(result) ? result.then(then) : then(result);
}
