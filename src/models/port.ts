import type {
  ChatStreamPart,
  FinishReason,
  ModelSettings,
  ModelToolCall,
  ToolDescription,
  Usage,
} from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { FilePart, Message, ReasoningPart, TextPart } from '../protocol/message.ts';

/** One call as a model gets it: policies have been asked, the agent's settings are merged in. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly settings: ModelSettings;
  readonly tools: readonly ToolDescription[];
  /** The JSON Schema that the text of the answer has to fit; only for a model whose `capabilities` name it. */
  readonly outputSchema?: JsonObject;
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
  /** Told of each further attempt at this answer, before the wait for it. Must not throw. */
  readonly onRetry?: (retry: ModelRetry) => void;
  /**
   * True when whoever reads the stream forgets what it has read of the answer as soon as `onRetry` is called. A
   * stream that has given a part begins again only then, and fails otherwise: nobody reads half an answer twice.
   */
  readonly restarts?: boolean;
}

/** A further attempt at one answer: at the same model again, or at the next one. */
export interface ModelRetry {
  /** Which attempt is about to be made, from 2. Models inside one another count in one row. */
  readonly attempt: number;
  /** Milliseconds until it is made. */
  readonly delayMs: number;
  /** The code of the error that the attempt before it failed with. */
  readonly reason: string;
}

/** What a model can do beyond texts and tools. */
export interface ModelCapabilities {
  /** True for one that answers in JSON by `outputSchema`. Any other is asked to call a tool with its answer. */
  readonly outputSchema?: boolean;
}

/**
 * A language model. Both methods answer the same request; `stream` ends with exactly one `finish` part.
 * Failures are thrown as `ModelError`; any other error counts as `model-failed`. The usage of an answer holds
 * everything that was paid for it, failed attempts included; that of a failure is in its `usage`. Of a stream that begins
 * again after its `finish`, and tells `onRetry` so, the latest account counts: it holds those before it.
 */
export interface ChatModel {
  readonly id: string;
  /** Default: none. */
  readonly capabilities?: ModelCapabilities;
  generate(request: ModelRequest, options: ModelCallOptions): PromiseLike<ModelResponse>;
  stream(request: ModelRequest, options: ModelCallOptions): AsyncIterable<ChatStreamPart>;
}
