import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { ModelError } from '../errors/model-error.ts';
import { requireStream } from '../errors/require-stream.ts';
import type { ChatStreamPart } from '../protocol/chat.ts';
import { AttemptCounter } from './attempt-counter.ts';
import { cutShort } from './cut-short.ts';
import { Failures } from './fallback-failures.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from './port.ts';
import { sharedCapabilities } from './shared-capabilities.ts';

export interface FallbackOptions {
  /** Default: `fallback(a, b)`, with the ids of the models. */
  readonly id?: string;
  /**
   * Whether the next model is asked after this failure of the one before. A refused answer comes here as an error
   * with code `refused`. Default: all but `invalid-request`, `refused`, `context-overflow`, `script-exhausted` and
   * `unknown-model`.
   */
  readonly on?: (error: ModelError) => boolean;
}

const OPTIONS = Object.keys({ id: true, on: true } satisfies Record<keyof FallbackOptions, true>);

/** What another model cannot mend, or what the loop deals with. */
const STAYS: ReadonlySet<string> = new Set([
  'invalid-request',
  'refused',
  'context-overflow',
  'script-exhausted',
  'unknown-model',
]);

/**
 * Asks the first model, and the next one when that fails with a `ModelError` that `on` accepts. Anything else, and
 * every failure after a cancel, is passed on as it is; but where models before it were paid for, an error of another
 * kind that no cancel explains is the cause of a `model-failed` with their usage. When all have failed, the error is
 * `attempts-exhausted`, and its cause an `AggregateError` with the errors in the order of the models. The `model` of an
 * answer says who gave it.
 *
 * A stream that has given a part is left for another model only if its reader says that it can take back what it
 * has read.
 */
export function fallbackModel(
  models: readonly ChatModel[],
  options: FallbackOptions = {},
): ChatModel {
  if (!Array.isArray(models) || models.length === 0) {
    throw new ConfigError('invalid-option', {
      where: 'fallbackModel',
      what: 'it was given no list of models',
      fix: 'Pass at least one model, as in `fallbackModel([first, second])`',
    });
  }
  checkKeys('fallbackModel', options, OPTIONS);
  return new FallbackModel([...models], options);
}

class FallbackModel implements ChatModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly #models: readonly ChatModel[];
  readonly #on: (error: ModelError) => boolean;

  constructor(models: readonly ChatModel[], { id, on }: FallbackOptions) {
    this.id = id ?? `fallback(${models.map((model) => model.id).join(', ')})`;
    this.capabilities = sharedCapabilities(models);
    this.#models = models;
    this.#on = on ?? (({ code }) => !STAYS.has(code));
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    const { signal } = options;
    const attempts = new AttemptCounter(options);
    const failures = this.#failures(options, attempts);
    for (const model of this.#models) {
      try {
        const response = await model.generate(request, { signal, onRetry: attempts.tell });
        failures.refuse(response, model);
        return { ...response, ...failures.answered(response, model) };
      } catch (error) {
        failures.add(error, model, true);
      }
    }
    throw failures.all();
  }

  async *stream(request: ModelRequest, options: ModelCallOptions): AsyncGenerator<ChatStreamPart> {
    const { signal } = options;
    const attempts = new AttemptCounter(options);
    const restarts = options.restarts === true;
    const failures = this.#failures(options, attempts);
    for (const model of this.#models) {
      let hasGiven = false;
      const mayLeave = (): boolean => restarts || !hasGiven;
      try {
        const inner = { signal, restarts, onRetry: attempts.tell };
        for await (const part of requireStream(model.stream(request, inner), model)) {
          if (part?.type === 'finish') {
            if (mayLeave()) failures.refuse(part.result, model);
            yield { ...part, result: { ...part.result, ...failures.answered(part.result, model) } };
            return;
          }
          hasGiven = true;
          yield part;
        }
        throw cutShort(model.id);
      } catch (error) {
        failures.add(error, model, mayLeave());
      }
    }
    throw failures.all();
  }

  #failures({ signal }: ModelCallOptions, attempts: AttemptCounter): Failures {
    return new Failures({
      id: this.id,
      on: this.#on,
      count: this.#models.length,
      signal,
      attempts,
    });
  }
}
