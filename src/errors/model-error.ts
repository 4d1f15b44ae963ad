import { AgentHooksError } from './base.ts';

export type ModelErrorCode =
  | 'rate-limited'
  | 'overloaded'
  | 'context-overflow'
  | 'auth-failed'
  | 'invalid-request'
  | 'refused'
  | 'empty-response'
  | 'invalid-response'
  | 'script-exhausted'
  | 'attempts-exhausted'
  | 'unusable-calls'
  | 'model-failed';

/** The provider, or the code that talks to it, failed. Ends the turn `failed` unless `onError` recovers it. */
export class ModelError extends AgentHooksError {
  readonly code: ModelErrorCode;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly statusCode?: number;

  constructor(
    code: ModelErrorCode,
    text: { readonly where: string; readonly what: string; readonly fix: string },
    options: {
      readonly cause?: unknown;
      readonly retryAfterMs?: number;
      readonly statusCode?: number;
    } = {},
  ) {
    super(text, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ModelError';
    this.code = code;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.statusCode !== undefined) this.statusCode = options.statusCode;
  }
}
