import type {
  ChatStreamPart,
  FinishReason,
  ModelSettings,
  ModelToolCall,
  ToolDescription,
  Usage,
} from '../protocol/chat.ts';
import type { FilePart, Message, ReasoningPart, TextPart } from '../protocol/message.ts';

/** One call as a model gets it: policies have been asked, the agent's settings are merged in. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly settings: ModelSettings;
  readonly tools: readonly ToolDescription[];
}

/** One answer as a model gives it: tool arguments are still the text the model wrote. */
export interface ModelResponse {
  readonly id?: string;
  readonly model?: string;
  readonly content: readonly ModelPart[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

export type ModelPart =
  | TextPart
  | ReasoningPart
  | FilePart
  | { readonly type: 'tool-call'; readonly call: ModelToolCall };

export interface ModelCallOptions {
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * A language model. Both methods answer the same request; `stream` ends with exactly one `finish` part.
 * Failures are thrown as `ModelError`; any other error counts as `model-failed`.
 */
export interface ChatModel {
  readonly id: string;
  generate(request: ModelRequest, options: ModelCallOptions): PromiseLike<ModelResponse>;
  stream(request: ModelRequest, options: ModelCallOptions): AsyncIterable<ChatStreamPart>;
}
