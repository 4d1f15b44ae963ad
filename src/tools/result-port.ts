import type { JsonValue } from '../protocol/json.ts';

/** Saves a part of a result that works in a field of the thread's state. */
export interface Assign<Field extends string = string> {
  readonly field: Field;
  /** The keys that lead to the part; for a member of a list its position, as text. Empty for the whole result. */
  readonly path: readonly string[];
}

/** A line that is the answer to a result, in fixed words: the model is not asked for one. */
export interface Reply {
  /** By field of the result, or `field.key`, the values that call for the line. Every one has to match. Default: any. */
  readonly when?: { readonly [path: string]: readonly JsonValue[] };
  /** The same of the thread's state. Of what is not set, `null` is the value. Default: any. */
  readonly state?: { readonly [path: string]: readonly JsonValue[] };
  /**
   * What is said; several lines take turns. Holds `{{result.field}}`, `{{field}}` of the state, and `{{session.x}}`,
   * `{{sender.x}}` and `{{channel.x}}` as the app passed them to the run. Not said where one of them is not set.
   */
  readonly say: string | readonly string[];
}

/** A line of an agent: tried before those of the tool itself. */
export interface ToolReply extends Reply {
  readonly tool: string;
}

/** A line, as the loop tries it. */
export interface ReplyRule {
  readonly when: readonly Wanted[];
  readonly state: readonly Wanted[];
  readonly say: readonly string[];
}

/** A value that has to be one of some. */
export interface Wanted {
  readonly path: readonly string[];
  readonly values: readonly JsonValue[];
}

/** What becomes of a result that works, beside that the model reads it. */
export interface ResultRules {
  /** True when the conversation is over then. */
  readonly endsConversation?: true;
  /** Said then, where the answer that made the call had no words. */
  readonly goodbye?: string;
  /** All of them are saved, or none. */
  readonly assign: readonly Assign[];
  /** The first that matches and can be filled is said. */
  readonly replies: readonly ReplyRule[];
}
