import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { ModelError } from '../../errors/model-error.ts';
import type { Usage } from '../../protocol/chat.ts';
import { addUsage, NO_USAGE } from '../../protocol/usage.ts';
import { AttemptCounter } from '../attempt-counter.ts';
import { withSpent } from '../billed-to.ts';
import type { ModelCallOptions } from '../port.ts';
import { backoffMs } from './backoff.ts';
import type { RetryLimits } from './options.ts';

/** The retries of one call: how many are left, how long to wait for each, and what the failed ones have cost. */
export class Retries {
  readonly attempts: AttemptCounter;
  /** Nothing that fails from now on is tried again. */
  over = false;
  readonly #model: string;
  readonly #limits: RetryLimits;
  readonly #signal: AbortSignal;
  readonly #started = performance.now();
  #used = 0;
  #spent = NO_USAGE;

  constructor(model: string, limits: RetryLimits, options: ModelCallOptions) {
    this.#model = model;
    this.#limits = limits;
    this.#signal = options.signal;
    this.attempts = new AttemptCounter(options);
  }

  /**
   * Tries again after a failure, as often as the limits allow. Fails with what the last attempt failed with, and what
   * all have cost.
   */
  async again<Result>(failure: unknown, attempt: () => Promise<Result>): Promise<Result> {
    if (!isRetryable(failure)) throw failure;
    try {
      return await pRetry((count) => (count === 1 ? Promise.reject(failure) : attempt()), {
        retries: this.#limits.maxRetries - this.#used,
        // The wait is ours: it is told of before it begins, and may be the provider's.
        minTimeout: 0,
        signal: this.#signal,
        shouldRetry: ({ error }) => this.#mayRetry(error),
      });
    } catch (error) {
      throw this.#account(error);
    }
  }

  /** What an answer has cost, with the attempts before it. */
  total(usage: Usage): Usage {
    return this.#spent === NO_USAGE ? usage : addUsage(this.#spent, usage);
  }

  get hasSpent(): boolean {
    return this.#spent !== NO_USAGE;
  }

  async #mayRetry(error: Error): Promise<boolean> {
    if (this.over || !isRetryable(error)) return false;
    const delayMs = this.#delay(error);
    if (delayMs === undefined) return false;
    this.#used += 1;
    if (error.usage !== undefined) this.#spent = addUsage(this.#spent, error.usage);
    this.attempts.tell({ delayMs, reason: error.code });
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: this.#signal });
    return true;
  }

  /** `undefined` when the wait would be longer than anybody wants to wait. */
  #delay({ retryAfterMs }: ModelError): number | undefined {
    const { maxRetryAfterMs, budgetMs } = this.#limits;
    if (retryAfterMs !== undefined && retryAfterMs > maxRetryAfterMs) return undefined;
    const delayMs = Math.ceil(retryAfterMs ?? backoffMs(this.#used + 1, this.#limits));
    return performance.now() - this.#started + delayMs > budgetMs ? undefined : delayMs;
  }

  #account(error: unknown): unknown {
    // The wait ends with an error of the timer's own when it is cut short.
    if (this.#signal.aborted) return this.#signal.reason;
    return withSpent(error, this.#spent, this.#model);
  }
}

function isRetryable(error: unknown): error is ModelError {
  return ModelError.isInstance(error) && error.retryable === true;
}
