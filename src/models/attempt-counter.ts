import type { ModelCallOptions, ModelRetry } from './port.ts';

/** Numbers the attempts at one answer in one row, also those that a model within this one makes. */
export class AttemptCounter {
  #made = 1;
  readonly #onRetry: ModelCallOptions['onRetry'];

  constructor({ onRetry }: ModelCallOptions) {
    this.#onRetry = onRetry;
  }

  /** Tells of the attempt that is about to be made. Fits as the `onRetry` of a model within. */
  readonly tell = ({ delayMs, reason }: Omit<ModelRetry, 'attempt'>): void => {
    this.#made += 1;
    this.#onRetry?.({ attempt: this.#made, delayMs, reason });
  };
}
