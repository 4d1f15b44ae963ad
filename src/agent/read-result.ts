import { StoreError } from '../errors/store-error.ts';
import type { RunResult } from '../loop/result.ts';
import type { SchemaOutput, ToolSchema } from '../tools/schema.ts';

/** Who ends a thread is given no result that could say that nothing was ended. */
export function requireStored(result: RunResult): void {
  if (result.status === 'failed' && StoreError.isInstance(result.error)) throw result.error;
}

export function isOpen({ status }: RunResult): boolean {
  return status === 'awaiting-approval' || status === 'awaiting-tools' || status === 'continues';
}

/** A run that was given a schema completes only with what that schema made of the answer. */
export function withOutput<Schema extends ToolSchema>(
  result: Promise<RunResult>,
): Promise<RunResult<SchemaOutput<Schema>>> {
  return result as Promise<RunResult<SchemaOutput<Schema>>>; // The type is lost where the loop holds any schema.
}
