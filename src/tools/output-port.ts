import type { JsonValue } from '../protocol/json.ts';
import type { FilePart } from '../protocol/message.ts';

/** What a tool gives whose output has pictures or documents beside it. Both are frozen JSON. */
export interface OutputWithFiles {
  readonly output: JsonValue;
  readonly files: readonly FilePart[];
}

/** Registered, so that the builds for `import` and `require` know each other's. */
export const WITH_FILES: symbol = Symbol.for('agent-hooks.tool-output');

/**
 * Of this build alone: what tools of another one gave is turned into JSON once more, and comes out the same. Kept apart from
 * the functions, as a mark on one is also on a proxy of it, and goes with its members where they are copied.
 */
const GIVING_JSON = new WeakSet<object>();

/**
 * Marks a function that gives outputs as frozen JSON: they are taken as they are. That what a tool gives is frozen says
 * nothing of what it holds. The function stays marked in a copy of its tool; what is wrapped around it is another one.
 */
export function givingJson<Gives extends object>(gives: Gives): Gives {
  GIVING_JSON.add(gives);
  return gives;
}

export function givesJson(gives: object): boolean {
  return GIVING_JSON.has(gives);
}

/** What a tool gives is JSON alone, or in one of these. */
export function hasFiles(given: JsonValue | OutputWithFiles): given is OutputWithFiles {
  return typeof given === 'object' && given !== null && WITH_FILES in given;
}
