import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { requireStream } from '../errors/require-stream.ts';
import { Slots } from '../internal/slots.ts';
import type { ChatStreamPart } from '../protocol/chat.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from './port.ts';

export interface LimitedModelOptions {
  /** How many calls are under way at a time, in this process. A whole number from 1. */
  readonly maxConcurrent: number;
}

const OPTIONS = Object.keys({ maxConcurrent: true } satisfies Record<
  keyof LimitedModelOptions,
  true
>);

/**
 * Lets so many calls of a model be under way at a time; others wait in the order in which they came. Give the same one
 * to several agents and they share its slots. A stream holds its slot until it has ended or nobody reads it any more. A
 * turn that is cancelled while it waits has called nothing and leaves the queue. The wait counts for the wall time of the
 * turn. Around `retryModel` a call keeps its slot between attempts; inside it, each attempt waits anew. Throws
 * `ConfigError`.
 */
export function limitedModel(model: ChatModel, options: LimitedModelOptions): ChatModel {
  checkKeys('limitedModel', options, OPTIONS);
  const given: unknown = options.maxConcurrent;
  if (typeof given !== 'number' || !Number.isSafeInteger(given) || given < 1) {
    throw new ConfigError('invalid-option', {
      where: 'limitedModel',
      what: '`maxConcurrent` is not a whole number from 1',
      fix: 'Say how many calls may be under way at a time, as in `{ maxConcurrent: 8 }`',
    });
  }
  return new LimitedModel(model, new Slots(given));
}

class LimitedModel implements ChatModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly #model: ChatModel;
  readonly #slots: Slots;

  constructor(model: ChatModel, slots: Slots) {
    this.id = model.id;
    this.capabilities = model.capabilities ?? {};
    this.#model = model;
    this.#slots = slots;
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    const release = await this.#slots.take(options.signal);
    try {
      return await this.#model.generate(request, options);
    } finally {
      release();
    }
  }

  async *stream(request: ModelRequest, options: ModelCallOptions): AsyncGenerator<ChatStreamPart> {
    const release = await this.#slots.take(options.signal);
    try {
      yield* requireStream(this.#model.stream(request, options), this.#model);
    } finally {
      release();
    }
  }
}
