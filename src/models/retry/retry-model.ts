import { ModelError } from '../../errors/model-error.ts';
import { requireStream } from '../../errors/require-stream.ts';
import type { ChatStreamPart } from '../../protocol/chat.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from '../port.ts';
import { Attempt } from './attempt.ts';
import { type RetryLimits, type RetryOptions, readRetryOptions } from './options.ts';
import { RetriedStream } from './retried-stream.ts';
import { Retries } from './retries.ts';

/**
 * Asks a model again when it fails with a retryable `ModelError`, below the policies, which are asked once. Waits
 * longer each time, or as long as the provider asked to, and gives up with the last error, which carries the usage of
 * all; one that is no error of this package is then the cause of a `model-failed`. A cancel ends it at once. A model
 * that does not answer in time, or falls silent in the middle of a stream, has failed with `timed-out`.
 *
 * Never tried again: errors that would come back, such as a wrong key, an invalid or too long request and a
 * refusal, and a stream that has given a part, unless its reader says that it can take back what it has read.
 */
export function retryModel(model: ChatModel, options: RetryOptions = {}): ChatModel {
  return new RetryModel(model, readRetryOptions(`retryModel, model '${model.id}'`, options));
}

class RetryModel implements ChatModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly #model: ChatModel;
  readonly #limits: RetryLimits;

  constructor(model: ChatModel, limits: RetryLimits) {
    this.id = model.id;
    this.capabilities = model.capabilities ?? {};
    this.#model = model;
    this.#limits = limits;
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    const retries = new Retries(this.id, this.#limits, options);
    const ask = (): Promise<ModelResponse> => this.#ask(request, options, retries);
    const response = await ask().catch((error: unknown) => retries.again(error, ask));
    return retries.hasSpent ? { ...response, usage: retries.total(response.usage) } : response;
  }

  async #ask(
    request: ModelRequest,
    { signal }: ModelCallOptions,
    retries: Retries,
  ): Promise<ModelResponse> {
    const attempt = new Attempt(signal, this.#limits.timeoutMs, () => this.#late());
    let isThrough = false;
    try {
      const options = { signal: attempt.signal, onRetry: retries.attempts.tell };
      const response = await attempt.wait(this.#model.generate(request, options));
      isThrough = true;
      return response;
    } finally {
      attempt.close(isThrough);
    }
  }

  async *stream(request: ModelRequest, options: ModelCallOptions): AsyncGenerator<ChatStreamPart> {
    const retries = new Retries(this.id, this.#limits, options);
    const parts = new RetriedStream({
      open: (inner) => requireStream(this.#model.stream(request, inner), this.#model),
      options,
      retries,
      stallMs: this.#limits.stallMs,
      modelId: this.id,
    });
    try {
      for (;;) {
        const part = await parts.next().catch((error: unknown) => parts.again(error));
        if (part === undefined) return;
        yield part;
      }
    } finally {
      parts.close();
    }
  }

  #late(): ModelError {
    return new ModelError('timed-out', {
      where: `model '${this.id}'`,
      what: `it gave no answer within ${this.#limits.timeoutMs} ms`,
      fix: 'Try again, stream the answer, or raise `timeoutMs`',
    });
  }
}
