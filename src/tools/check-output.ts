import { ToolError } from '../errors/tool-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { toJson, UNREADABLE } from '../internal/to-json.ts';
import type { JsonValue } from '../protocol/json.ts';
import { reportsError } from '../protocol/tool-answer.ts';
import { describeFirstIssue } from './describe-issues.ts';
import { findInSchema } from './find-in-schema.ts';
import type { OutputPlan } from './output-plan.ts';
import type { OutputWithFiles } from './output-port.ts';
import { encodeWith, isZod, parseWith, type SchemaResult, type ToolSchema } from './schema.ts';
import { ToolOutput } from './tool-output.ts';

/**
 * Turns what a tool returned, now or later, into frozen JSON, after its output schema if it has one: defaults filled,
 * unknown fields dropped, and written as the schema writes it. A result that reports an error is not held against the
 * schema. Nothing returned is `null`. The tool has run: whatever fails from here on is a `ToolError` with code
 * `unreadable-output`, which names tool, schema and field.
 */
export function readOutput(
  toolName: string,
  plan: OutputPlan | undefined,
  output: unknown,
): MaybePromise<JsonValue | OutputWithFiles> {
  // A promise adopts what is waited for: the `then` of a query builder or the like follows rules of its own.
  return isPending(toolName, output)
    ? Promise.resolve(output).then((late) => checkWhole(toolName, plan, late))
    : checkWhole(toolName, plan, output);
}

/** The schema is one of the output; files beside it have been checked when they were put there. */
function checkWhole(
  toolName: string,
  plan: OutputPlan | undefined,
  whole: unknown,
): MaybePromise<JsonValue | OutputWithFiles> {
  if (!ToolOutput.isInstance(whole)) return checkOutput(toolName, plan, whole);
  const { files } = whole;
  const withFiles = (output: JsonValue): ToolOutput<JsonValue> => new ToolOutput(output, files);
  const checked = checkOutput(toolName, plan, whole.output);
  return isThenable(checked) ? checked.then(withFiles) : withFiles(checked);
}

function isPending(toolName: string, output: unknown): output is PromiseLike<unknown> {
  try {
    return isThenable(output);
  } catch (cause) {
    throw unreadable(toolName, CANNOT_BE_READ, { cause });
  }
}

function checkOutput(
  toolName: string,
  plan: OutputPlan | undefined,
  output: unknown,
): MaybePromise<JsonValue> {
  if (plan === undefined) return frozenJson(toolName, output);
  const broken = (cause: unknown): never => {
    if (ToolError.isInstance(cause) && cause.code === CODE) throw cause;
    throw unreadable(toolName, `${plan.name} failed to check its result`, { cause });
  };
  try {
    if (reportsError(output)) return frozenJson(toolName, output);
    const checking = fitted(toolName, plan, output);
    return isThenable(checking) ? Promise.resolve(checking).catch(broken) : checking;
  } catch (cause) {
    return broken(cause);
  }
}

/** Parsed first, as only that fills in defaults, and then written back where the schema has a form of its own. */
function fitted(toolName: string, plan: OutputPlan, output: unknown): MaybePromise<JsonValue> {
  const { schema, encodes, isDone } = plan;
  const given = output === undefined && isDone ? {} : output;
  const fitting = (result: SchemaResult<unknown>): unknown => {
    if (result.issues === undefined) return result.value;
    const { path, text } = describeFirstIssue(result.issues, toJson(output));
    const what = `result does not fit ${plan.name}`;
    const field = declaredPath(schema, path);
    throw unreadable(toolName, `${what} (${text})`, {
      eventText: `${toolName}: ${what} (${field})`,
    });
  };
  const write = (parsed: SchemaResult<unknown>): MaybePromise<JsonValue> => {
    const value = fitting(parsed);
    if (!encodes) return frozenJson(toolName, value);
    const encoded = encodeWith(schema, value);
    return isThenable(encoded)
      ? encoded.then((late) => frozenJson(toolName, fitting(late)))
      : frozenJson(toolName, fitting(encoded));
  };
  const parsed = parseWith(schema, given);
  return isThenable(parsed) ? parsed.then(write) : write(parsed);
}

/** The keys of a record are values too, so only names that the schema declares are told to everybody. */
function declaredPath(schema: ToolSchema, path: readonly PropertyKey[]): string {
  const names = new Set<PropertyKey>();
  if (isZod(schema)) {
    findInSchema(schema, ({ _zod: { def } }) => {
      if (def.type === 'object') for (const name of Object.keys(def.shape)) names.add(name);
      return false;
    });
  }
  return path.map((part) => (names.has(part) ? String(part) : '*')).join('.') || 'output';
}

function frozenJson(toolName: string, output: unknown): JsonValue {
  const json = toJson(output);
  if (json === UNREADABLE && output !== UNREADABLE) {
    throw unreadable(toolName, CANNOT_BE_READ);
  }
  return deepFreeze(json);
}

const CODE = 'unreadable-output';
const CANNOT_BE_READ = 'result cannot be read';

function unreadable(
  toolName: string,
  what: string,
  options: { readonly cause?: unknown; readonly eventText?: string } = {},
): ToolError {
  const words = `${toolName}: ${what}`;
  return new ToolError(words, { eventText: words, ...options, code: CODE });
}
