import type { JsonObject } from './json.ts';
import type { UserPart } from './message.ts';

/** What the user wrote, before it is stored. A message without text never reaches `onUserMessage`. */
export interface IncomingText {
  readonly text: string;
  /** The other parts of the message; they pass unchanged. */
  readonly attachments: readonly UserPart[];
}

/** A text about to be shown to the user. */
export interface OutgoingText {
  readonly text: string;
  /** True for the text that ends the turn, false for text beside tool calls. */
  readonly isFinal: boolean;
}

/** The turn about to begin. */
export interface TurnStart {
  readonly turnId: string;
  /** True for the first turn of the thread. */
  readonly isFirst: boolean;
}

/**
 * The text of one answer as far as it has come. Characters are UTF-16 units, as in `length`; a window never ends
 * within a surrogate pair.
 */
export interface TextWindow {
  /** What is held back: everything that was not released. */
  readonly text: string;
  /** What was released before, for a policy that needs to look back. */
  readonly before: string;
  /** How many characters that are. */
  readonly released: number;
  /** True when the model has finished: nothing more will come. Asked once, also of an answer that came whole. */
  readonly isFinal: boolean;
}

/** Which prompt `systemPrompt` is asked about, and which model will read it. */
export interface PromptInfo {
  /** What the request with this prompt is for. */
  readonly site: Purpose;
  /** The id of the model that will read it; `unknown` for one without an id. */
  readonly model: string;
  readonly threadId: string;
  readonly turnId: string;
  /** The step of the turn, from 1. */
  readonly step: number;
}

/** What a model call is for. Only `main` calls count on the rejection streak. */
export type Purpose = 'main' | 'compaction' | 'judge' | 'output';

export interface KnowledgeQuery {
  readonly query: string;
}

export interface KnowledgePassage {
  readonly text: string;
  readonly scope: string;
  readonly source: string;
  readonly score?: number;
  readonly metadata?: JsonObject;
}

export interface KnowledgeResults {
  readonly query: string;
  readonly passages: readonly KnowledgePassage[];
}
