/**
 * Why a request did not give an answer. `refused`: an address, a redirect or a size that is not allowed. `failed`: no
 * name, no connection, or one that broke. `missing-package`: the HTTP client is not installed.
 */
export type SafeHttpProblem = 'refused' | 'failed' | 'timed-out' | 'cancelled' | 'missing-package';

/** Quotes neither the address nor what was sent or read. `wasSent`: the other side may have acted on it. */
export class SafeHttpError extends Error {
  readonly problem: SafeHttpProblem;
  readonly wasSent: boolean;

  constructor(
    problem: SafeHttpProblem,
    words: string,
    options: { readonly cause?: unknown; readonly wasSent?: boolean } = {},
  ) {
    super(words, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'SafeHttpError';
    this.problem = problem;
    this.wasSent = options.wasSent ?? false;
  }
}
