import type { JsonObject, JsonValue } from './json.ts';
import type { AssistantPart, FilePart, Message } from './message.ts';

/** Why a model stopped. Only `tool-calls` lets tools run. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other';

/** Tokens of one call. `input` includes what was read from a cache; `cachedInput` is that part of it. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  /**
   * What of these tokens models other than the one that answered have used, once for each: they count at the prices of
   * those. Default: none of them.
   */
  readonly otherModels?: readonly ModelUsage[];
}

/** What one model has used. */
export interface ModelUsage extends Omit<Usage, 'otherModels'> {
  /** Its name, by which it has its price. */
  readonly model: string;
}

/** The seven settings a policy may set for one call. Nothing else of a call can be changed by a policy. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stop?: string | readonly string[];
  readonly seed?: number;
}

/** A tool as the model is told of it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/**
 * What is about to be sent to a model. `settings` starts empty: it holds only what policies set for this one
 * call, over the agent's own defaults. `tools` and `outputSchema` are read-only: changed ones are refused.
 */
export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly settings: ModelSettings;
  readonly tools: readonly ToolDescription[];
  /** The JSON Schema that the text of the answer has to fit, for a model that takes one. */
  readonly outputSchema?: JsonObject;
}

/** A tool call as a policy sees it in a response. */
export interface ToolCall {
  readonly callId: string;
  readonly providerCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly malformed?: string;
}

/**
 * One whole answer of a model. `text`, `reasoning` and `toolCalls` are the parts of `content` in a form a
 * policy can read in one line; `content` is what is stored and sent back to the provider.
 */
export interface ChatResponse {
  readonly id: string;
  readonly model: string;
  readonly content: readonly AssistantPart[];
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly latencyMs: number;
}

/** One piece of a streamed answer, as models and `wrapLlmCall` produce it. */
export type ChatStreamPart =
  | { readonly type: 'text'; readonly text: string; readonly providerMetadata?: JsonObject }
  | { readonly type: 'reasoning'; readonly text: string; readonly providerMetadata?: JsonObject }
  | {
      readonly type: 'tool-input';
      readonly id: string;
      readonly toolName: string;
      readonly text: string;
    }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | FilePart
  | { readonly type: 'finish'; readonly result: ModelFinish };

/** A tool call as a model wrote it: the arguments are still text. */
export interface ModelToolCall {
  readonly id: string;
  readonly toolName: string;
  readonly inputText: string;
  readonly providerMetadata?: JsonObject;
}

export interface ModelFinish {
  readonly id?: string;
  readonly model?: string;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}
