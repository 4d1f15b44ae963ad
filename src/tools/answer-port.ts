import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolDescription } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolPort } from './port.ts';

/** The tool through which a model answers that takes no schema for its answer. Added to the request, and never run. */
export const FINAL_ANSWER = 'final_answer';

/** How the loop sees the schema that a final answer has to fit. */
export interface AnswerPort {
  /** What a model is shown: the input side of the schema. */
  readonly jsonSchema: JsonObject;
  /** Reads an answer as text. The problem names every field, and quotes no value. */
  readonly read: (
    text: string,
  ) => MaybePromise<{ readonly value: unknown } | { readonly problem: string }>;
  readonly tool: ToolPort<never>;
  /** The tools of the agent and this one: the same list for every request. */
  readonly descriptions: readonly ToolDescription[];
}
