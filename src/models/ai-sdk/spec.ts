/**
 * An AI SDK language model as far as it is used here. Written down instead of imported, so that neither the
 * package nor its types need an AI SDK package; every model of spec v2, v3 and v4 fits.
 */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  // Methods, not properties: the call options of each spec version are then compared both ways.
  doGenerate(options: AiSdkCallOptions): PromiseLike<AiSdkResult>;
  doStream(options: AiSdkCallOptions): PromiseLike<{ readonly stream: AiSdkStream }>;
}

export interface AiSdkCallOptions {
  readonly prompt: readonly unknown[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly tools?: readonly unknown[];
  readonly responseFormat?: { readonly type: string; readonly schema?: object };
  readonly abortSignal?: AbortSignal;
  readonly providerOptions?: object;
}

export interface AiSdkResult {
  readonly content: readonly AiSdkPart[];
  readonly finishReason: AiSdkFinishReason;
  readonly usage: AiSdkUsage;
  readonly response?: { readonly id?: string; readonly modelId?: string };
  readonly providerMetadata?: object;
}

/** What `ReadableStream` has on every platform. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: AiSdkPart | undefined }>;
    cancel(): Promise<unknown>;
  };
}

/** A content or stream part of any kind. What it holds depends on `type`, and comes from foreign code. */
export interface AiSdkPart {
  readonly type: string;
  readonly id?: unknown;
  readonly text?: unknown;
  readonly delta?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  readonly providerExecuted?: unknown;
  readonly mediaType?: unknown;
  readonly data?: unknown;
  readonly providerMetadata?: unknown;
  readonly modelId?: unknown;
  readonly finishReason?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

/** A plain word in spec v2, an object since v3. */
type AiSdkFinishReason = string | { readonly unified: string; readonly raw?: string | undefined };

/** Numbers in spec v2, groups of numbers since v3. */
interface AiSdkUsage {
  readonly inputTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly cachedInputTokens?: unknown;
  readonly reasoningTokens?: unknown;
}
