/** Saves a part of a result that works in a field of the thread's state. */
export interface Assign<Field extends string = string> {
  readonly field: Field;
  /** The keys that lead to the part; for a member of a list its position, as text. Empty for the whole result. */
  readonly path: readonly string[];
}

/** What becomes of a result that works, beside that the model reads it. */
export interface ResultRules {
  /** True when the conversation is over then. */
  readonly endsConversation?: true;
  /** All of them are saved, or none. */
  readonly assign: readonly Assign[];
}
