import * as z from 'zod';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { filePart, firstProblem, jsonValueSchema, outcomeSchema } from './message-schema.ts';
import type { ToolResult } from './tool.ts';
import { withFiles } from './with-files.ts';

const resultSchema = builtWhenUsed(() =>
  z.strictObject({
    outcome: outcomeSchema(),
    isError: z.boolean(),
    output: jsonValueSchema(),
    files: z.array(filePart()).optional(),
  }),
);

/** Reads a result from outside: copied and frozen. Never throws; the problem quotes nothing of it. */
export function readToolResult(
  value: unknown,
): { readonly result: ToolResult } | { readonly problem: string } {
  try {
    const read = resultSchema().safeParse(value);
    return read.success ? { result: resultOf(read.data) } : { problem: firstProblem(read.error) };
  } catch {
    return { problem: 'it cannot be read' };
  }
}

function resultOf(data: z.infer<ReturnType<typeof resultSchema>>): ToolResult {
  // zod leaves out what is not there.
  const { files, ...result } = deepFreeze(data) as ToolResult;
  return withFiles(result, files);
}
