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

/** Text a window holds back, as it grows. */
export interface TextWindow {
  /** The text that is held and not yet released. */
  readonly held: string;
  /** How many characters of this response were released before. */
  readonly released: number;
  /** True when the model has finished: nothing more will be added. */
  readonly isLast: boolean;
}

/** Which prompt `systemPrompt` is asked about, and which model will read it. */
export interface PromptInfo {
  readonly purpose: Purpose;
  readonly model: string;
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
