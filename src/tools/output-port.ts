import type { JsonValue } from '../protocol/json.ts';
import type { FilePart } from '../protocol/message.ts';

/** What a tool gives whose output has pictures or documents beside it. Both are frozen JSON. */
export interface OutputWithFiles {
  readonly output: JsonValue;
  readonly files: readonly FilePart[];
}

/** Registered, so that the builds for `import` and `require` know each other's. */
export const WITH_FILES: symbol = Symbol.for('agent-hooks.tool-output');

/** What a tool gives is JSON alone, or in one of these. */
export function hasFiles(given: JsonValue | OutputWithFiles): given is OutputWithFiles {
  return typeof given === 'object' && given !== null && WITH_FILES in given;
}
