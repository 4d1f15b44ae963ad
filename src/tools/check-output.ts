import { ToolError } from '../errors/tool-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonValue } from '../protocol/json.ts';
import { describeIssues } from './describe-issues.ts';
import { parseWith, type SchemaResult, type ToolSchema } from './schema.ts';

/**
 * Turns what a tool returned into frozen JSON, after its output schema if it has one. A value that does not
 * fit is a `ToolError` that names tool and field. Nothing returned is `null`.
 */
export function checkOutput(
  toolName: string,
  schema: ToolSchema | undefined,
  output: unknown,
): MaybePromise<JsonValue> {
  if (schema === undefined) return deepFreeze(toJson(output));
  const accept = (result: SchemaResult<unknown>): JsonValue => {
    if (result.issues === undefined) return deepFreeze(toJson(result.value));
    const faults = describeIssues(result.issues, output, 'output');
    throw new ToolError(
      `tool '${toolName}' returned something its output schema refuses: ${faults}`,
    );
  };
  const parsed = parseWith(schema, output);
  return isThenable(parsed) ? parsed.then(accept) : accept(parsed);
}
