import type { StateProblem } from '../errors/state-error.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** The schema of a thread's state, as the loop sees it. */
export interface StatePort extends StateRules {
  /** Frozen JSON of its own, or why it cannot be a value of the field. Never throws. */
  readonly check: (field: string, value: unknown) => { readonly value: JsonValue } | StateProblem;
  /** What the schema says a field, or a key below one, is. */
  readonly describe: (path: readonly string[]) => string | undefined;
}

/** What filling a text needs to know of the schema. JSON. */
export interface StateRules {
  readonly fields: readonly string[];
  /** What a field that is not set holds. */
  readonly defaults: JsonObject;
}
