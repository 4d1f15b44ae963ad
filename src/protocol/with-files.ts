import type { FilePart } from './message.ts';
import type { ToolResult } from './tool.ts';

/** A frozen result with these files, in the place of those it had. None of them for an error. */
export function withFiles(result: ToolResult, files: readonly FilePart[] | undefined): ToolResult {
  const { outcome, isError, output } = result;
  return Object.freeze(
    files === undefined || files.length === 0 || isError
      ? { outcome, isError, output }
      : { outcome, isError, output, files },
  );
}
