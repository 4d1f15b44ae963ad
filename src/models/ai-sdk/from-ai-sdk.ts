import { ConfigError } from '../../errors/config-error.ts';
import type { ChatStreamPart, ModelSettings, ToolDescription } from '../../protocol/chat.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from '../port.ts';
import { toModelError } from './model-error.ts';
import type { ModelFacts } from './read-finish.ts';
import { readResult } from './read-result.ts';
import { readStream } from './read-stream.ts';
import type { AiSdkCallOptions, AiSdkModel } from './spec.ts';
import { strictSchema } from './strict-schema.ts';
import { toPrompt } from './to-prompt.ts';

export interface AiSdkOptions {
  /** Default: provider and model, as in `openai.chat/gpt-4o`. */
  readonly id?: string;
  /** Handed to the provider with every call, such as `{ openai: { reasoningEffort: 'low' } }`. */
  readonly providerOptions?: JsonObject;
  /**
   * Whether the model is sent the schema of an `output` as its response format. `false` asks for a call of
   * `final_answer` in its place, for endpoints that take no schema. Default: true, unless the package says of itself
   * that it does not support it.
   */
  readonly outputSchema?: boolean;
}

const VERSIONS: readonly unknown[] = ['v2', 'v3', 'v4'];

/** A model of an AI SDK language model, asked once for each call. */
export function askAiSdk(model: AiSdkModel, options: AiSdkOptions): ChatModel {
  if (!isModel(model)) {
    throw new ConfigError('invalid-option', {
      where: 'fromAiSdk',
      what: 'it was given something that is no AI SDK language model',
      fix: "Pass what a provider's function returns, as in `fromAiSdk(openai('gpt-4o'))`",
    });
  }
  if (!VERSIONS.includes(model.specificationVersion)) {
    throw new ConfigError('invalid-option', {
      where: `fromAiSdk, model '${model.modelId}'`,
      what: `its specification version is ${String(model.specificationVersion)}, and v2, v3 and v4 are supported`,
      fix: 'Use a version of the provider package that follows one of these',
    });
  }
  return new FromAiSdk(model, options);
}

function isModel(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'doGenerate' in value &&
    typeof value.doGenerate === 'function' &&
    'doStream' in value &&
    typeof value.doStream === 'function'
  );
}

class FromAiSdk implements ChatModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly #model: AiSdkModel;
  readonly #facts: ModelFacts;
  readonly #providerOptions: JsonObject | undefined;
  readonly #notStrict: object;
  #lastTools: readonly ToolDescription[] = [];
  #lastFunctions: readonly object[] = [];
  #lastFormat: { readonly of: JsonObject; readonly schema: JsonObject } | undefined;

  constructor(model: AiSdkModel, options: AiSdkOptions) {
    this.#model = model;
    this.id = options.id ?? `${model.provider}/${model.modelId}`;
    const { specificationVersion, provider } = model;
    this.#facts = { id: this.id, specificationVersion, provider };
    this.#providerOptions = options.providerOptions;
    this.capabilities = Object.freeze({
      outputSchema: options.outputSchema ?? supportsSchema(model),
    });
    this.#notStrict = notStrict(provider);
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    try {
      return readResult(
        await this.#model.doGenerate(this.#callOptions(request, options)),
        this.#facts,
      );
    } catch (error) {
      throw this.#failure(error, options);
    }
  }

  async *stream(request: ModelRequest, options: ModelCallOptions): AsyncGenerator<ChatStreamPart> {
    try {
      const { stream } = await this.#model.doStream(this.#callOptions(request, options));
      yield* readStream(stream, this.#facts);
    } catch (error) {
      throw this.#failure(error, options);
    }
  }

  /** After a cancel, what the client threw is the cancel itself and no failure of the provider. */
  #failure(error: unknown, { signal }: ModelCallOptions): unknown {
    return signal.aborted ? error : toModelError(error, this.id);
  }

  #callOptions(
    { messages, settings, tools, outputSchema }: ModelRequest,
    { signal }: ModelCallOptions,
  ): AiSdkCallOptions {
    return {
      prompt: toPrompt(messages, this.#model, this.id),
      ...toSettings(settings),
      ...(tools.length > 0 && { tools: this.#functions(tools) }),
      ...(outputSchema !== undefined && { responseFormat: this.#format(outputSchema) }),
      ...(this.#providerOptions !== undefined && { providerOptions: this.#providerOptions }),
      abortSignal: signal,
    };
  }

  /** The list is the same array for every request of an agent. */
  #functions(tools: readonly ToolDescription[]): readonly object[] {
    if (tools === this.#lastTools) return this.#lastFunctions;
    this.#lastTools = tools;
    this.#lastFunctions = tools.map((tool) => ({ type: 'function', ...tool, ...this.#notStrict }));
    return this.#lastFunctions;
  }

  /** The schema is the same object for every request of a run. */
  #format(of: JsonObject): { readonly type: 'json'; readonly schema: object } {
    if (this.#lastFormat?.of !== of) this.#lastFormat = { of, schema: strictSchema(of) };
    return { type: 'json', schema: this.#lastFormat.schema };
  }
}

/** A package that sends no schema would ask for any JSON at all. */
function supportsSchema(model: AiSdkModel): boolean {
  return !('supportsStructuredOutputs' in model) || model.supportsStructuredOutputs !== false;
}

/**
 * Strict mode wants every key to be required, and the schema a model reads leaves optional ones optional. OpenAI's
 * newer endpoint is strict where a request does not say that it is not; others may not know the word.
 */
function notStrict(provider: string): object {
  return /^(openai|azure)([.-]|$)|\.responses$/.test(provider) ? { strict: false } : {};
}

function toSettings({ maxTokens, stop, ...same }: ModelSettings): Partial<AiSdkCallOptions> {
  return {
    ...same,
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(stop !== undefined && { stopSequences: typeof stop === 'string' ? [stop] : [...stop] }),
  };
}
