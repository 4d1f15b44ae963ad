import { ToolError } from '../errors/tool-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { toJson, UNREADABLE } from '../internal/to-json.ts';
import type { JsonValue } from '../protocol/json.ts';
import { describeIssues } from './describe-issues.ts';
import { parseWith, type SchemaResult, type ToolSchema } from './schema.ts';

/**
 * Turns what a tool returned, now or later, into frozen JSON, after its output schema if it has one. Nothing
 * returned is `null`. The tool has run: whatever fails from here on is a `ToolError` with code
 * `unreadable-output`, which names tool and field.
 */
export function readOutput(
  toolName: string,
  schema: ToolSchema | undefined,
  output: unknown,
): MaybePromise<JsonValue> {
  // A promise adopts what is waited for: the `then` of a query builder or the like follows rules of its own.
  return isPending(toolName, output)
    ? Promise.resolve(output).then((late) => checkOutput(toolName, schema, late))
    : checkOutput(toolName, schema, output);
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
  schema: ToolSchema | undefined,
  output: unknown,
): MaybePromise<JsonValue> {
  if (schema === undefined) return frozenJson(toolName, output);
  const accept = (result: SchemaResult<unknown>): JsonValue => {
    if (result.issues === undefined) return frozenJson(toolName, result.value);
    const faults = describeIssues(result.issues, toJson(output), 'output');
    throw unreadable(toolName, `something its output schema refuses: ${faults}`);
  };
  const broken = (cause: unknown): never => {
    if (ToolError.isInstance(cause) && cause.code === CODE) throw cause;
    throw unreadable(toolName, 'something its output schema failed to check', { cause });
  };
  try {
    const parsed = parseWith(schema, output);
    return isThenable(parsed) ? parsed.then(accept).catch(broken) : accept(parsed);
  } catch (cause) {
    return broken(cause);
  }
}

function frozenJson(toolName: string, output: unknown): JsonValue {
  const json = toJson(output);
  if (json === UNREADABLE && output !== UNREADABLE) {
    throw unreadable(toolName, CANNOT_BE_READ);
  }
  return deepFreeze(json);
}

const CODE = 'unreadable-output';
const CANNOT_BE_READ = 'something that cannot be read';

function unreadable(
  toolName: string,
  what: string,
  options?: { readonly cause: unknown },
): ToolError {
  return new ToolError(`tool '${toolName}' returned ${what}`, { ...options, code: CODE });
}
