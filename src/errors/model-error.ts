import { AgentHooksError, type ErrorText } from './base.ts';

export type ModelErrorCode =
  /** Too many requests. `retryAfterMs` says how long to wait, where the provider did. */
  | 'rate-limited'
  /** What was paid for is used up; waiting does not help. */
  | 'quota-exceeded'
  | 'overloaded'
  /** The request is longer than the context of the model. */
  | 'context-overflow'
  | 'auth-failed'
  | 'invalid-request'
  /** The provider, or its filter, does not want to answer this. Ends the turn `refused`. */
  | 'refused'
  /** No connection, or one that was cut before the answer was whole. */
  | 'network'
  /** No answer within the time limit, or a stream that fell silent. */
  | 'timed-out'
  | 'server-error'
  | 'empty-response'
  | 'invalid-response'
  | 'script-exhausted'
  /** Every model of a `fallbackModel` failed; `cause` is an `AggregateError` with one error for each. */
  | 'attempts-exhausted'
  /** The route of a `routerModel` named a model that it does not have. */
  | 'unknown-model'
  | 'unusable-calls'
  | 'model-failed';

/** Sent again, the same request may well be answered. */
const RETRYABLE: readonly ModelErrorCode[] = [
  'rate-limited',
  'overloaded',
  'network',
  'timed-out',
  'server-error',
];

export interface ModelErrorFacts {
  readonly cause?: unknown;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly statusCode?: number;
  /** Default: true for `rate-limited`, `overloaded`, `network`, `timed-out` and `server-error`. */
  readonly retryable?: boolean;
  /** What the provider said the failed call has cost. */
  readonly usage?: SpentTokens;
}

/** The `Usage` of a call; the errors know nothing of the protocol. */
interface SpentTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  readonly otherModels?: readonly (Omit<SpentTokens, 'otherModels'> & { readonly model: string })[];
}

/** The provider, or the code that talks to it, failed. Ends the turn `failed` unless `onError` recovers it. */
export class ModelError extends AgentHooksError {
  readonly code: ModelErrorCode;
  /** Whether the same request may be answered when it is sent again. */
  readonly retryable: boolean;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly statusCode?: number;
  /** Tokens that were paid for without an answer, as far as the provider reported them. */
  readonly usage?: SpentTokens;
  readonly #text: ErrorText;
  readonly #facts: ModelErrorFacts;

  constructor(code: ModelErrorCode, text: ErrorText, facts: ModelErrorFacts = {}) {
    super(text, 'cause' in facts ? { cause: facts.cause } : undefined);
    this.name = 'ModelError';
    this.code = code;
    this.retryable = facts.retryable ?? RETRYABLE.includes(code);
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
    if (facts.statusCode !== undefined) this.statusCode = facts.statusCode;
    if (facts.usage !== undefined) this.usage = facts.usage;
    this.#text = text;
    this.#facts = facts;
  }

  /** The same error with another account, as an error may be thrown more than once. */
  withUsage(usage: SpentTokens): ModelError {
    return new ModelError(this.code, this.#text, { ...this.#facts, usage });
  }
}
