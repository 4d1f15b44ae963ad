import * as z from 'zod';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { firstProblem, jsonValueSchema, outcomeSchema } from './message-schema.ts';
import type { ToolResult } from './tool.ts';

const resultSchema = z.strictObject({
  outcome: outcomeSchema,
  isError: z.boolean(),
  output: jsonValueSchema,
});

/** Reads a result from outside: copied and frozen. Never throws; the problem quotes nothing of it. */
export function readToolResult(
  value: unknown,
): { readonly result: ToolResult } | { readonly problem: string } {
  try {
    const read = resultSchema.safeParse(value);
    return read.success ? { result: deepFreeze(read.data) } : { problem: firstProblem(read.error) };
  } catch {
    return { problem: 'it cannot be read' };
  }
}
