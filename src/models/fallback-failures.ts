import { ModelError } from '../errors/model-error.ts';
import type { ModelFinish, Usage } from '../protocol/chat.ts';
import { addUsage, NO_USAGE, usageOf } from '../protocol/usage.ts';
import type { AttemptCounter } from './attempt-counter.ts';
import { billedTo, withSpent } from './billed-to.ts';
import type { ChatModel } from './port.ts';

interface FallbackCall {
  readonly id: string;
  readonly on: (error: ModelError) => boolean;
  /** How many models there are. */
  readonly count: number;
  readonly signal: AbortSignal;
  readonly attempts: AttemptCounter;
}

/** How the models of one call have failed so far, and what that has cost. */
export class Failures {
  readonly #call: FallbackCall;
  readonly #errors: ModelError[] = [];
  #spent: Usage = NO_USAGE;

  constructor(call: FallbackCall) {
    this.#call = call;
  }

  /** Notes a failure that the next model may mend; throws every other. */
  add(error: unknown, { id }: ChatModel, mayLeave: boolean): void {
    const { signal, on, count, attempts } = this.#call;
    const isTyped = ModelError.isInstance(error);
    if (signal.aborted || !mayLeave || !isTyped || !on(error)) {
      throw signal.aborted && !isTyped ? error : withSpent(billedTo(id, error), this.#spent, id);
    }
    this.#errors.push(error);
    if (error.usage !== undefined) this.#spent = addUsage(this.#spent, usageOf(id, error.usage));
    if (this.#errors.length < count) attempts.tell({ delayMs: 0, reason: error.code });
  }

  /** Throws a refused answer for another model to be asked. The last one's answer stands. */
  refuse({ finishReason, usage, model }: ModelFinish, { id }: ChatModel): void {
    if (finishReason !== 'content-filter' || this.#errors.length + 1 === this.#call.count) return;
    const refusal = new ModelError(
      'refused',
      {
        where: `model '${id}'`,
        what: 'the provider did not let it answer',
        fix: 'Ask in another way, or accept `refused` in the `on` of a fallbackModel',
      },
      { usage: usageOf(model ?? id, usage) },
    );
    if (this.#call.on(refusal)) throw refusal;
  }

  /** Who answered, and what it cost with the failures before. */
  answered({ model, usage }: ModelFinish, { id }: ChatModel): Pick<ModelFinish, 'model' | 'usage'> {
    return {
      model: model ?? id,
      usage: this.#spent === NO_USAGE ? usage : addUsage(this.#spent, usage),
    };
  }

  all(): ModelError {
    const codes = this.#errors.map(({ code }) => code).join(', ');
    return new ModelError(
      'attempts-exhausted',
      {
        where: `model '${this.#call.id}'`,
        what: `all ${this.#errors.length} models failed (${codes})`,
        fix: 'See the errors of `cause`, in the order of the models',
      },
      {
        cause: new AggregateError(this.#errors, 'every model failed'),
        retryable: this.#errors.some((error) => error.retryable),
        usage: this.#spent,
      },
    );
  }
}
