import type { ModelErrorCode } from '../../errors/model-error.ts';
import type { ErrorFacts } from './error-facts.ts';

/** The kind of a failure. What no rule knows is `model-failed`, which nobody tries again. */
export function classify(facts: ErrorFacts): ModelErrorCode {
  const { status } = facts;
  if (isOverflow(facts)) return 'context-overflow';
  return (
    wordIn(BEFORE_STATUS, facts.codes) ??
    (status === undefined ? undefined : ofStatus(status)) ??
    wordIn(BY_CODE, facts.codes) ??
    (isNetwork(facts.text) ? 'network' : undefined) ??
    wordIn(BY_NAME, facts.names) ??
    'model-failed'
  );
}

const OVERFLOW =
  /context.?(length|window)|maximum context|(prompt|input) is too long|too many (input )?tokens|token (count|limit).{0,40}exceed/i;

function isOverflow({ status, codes, text }: ErrorFacts): boolean {
  if (status === 413 || codes.includes('context_length_exceeded')) return true;
  return (status === undefined || status === 400 || status === 422) && OVERFLOW.test(text);
}

type Words = { readonly [word: string]: ModelErrorCode };

function wordIn(words: Words, said: readonly string[]): ModelErrorCode | undefined {
  const word = said.find((one) => Object.hasOwn(words, one));
  return word === undefined ? undefined : words[word];
}

/** Where the provider's word says more than the status it came with. */
const BEFORE_STATUS: Words = {
  insufficient_quota: 'quota-exceeded',
  billing_error: 'quota-exceeded',
  content_filter: 'refused',
  content_policy_violation: 'refused',
  ResponsibleAIPolicyViolation: 'refused',
};

function ofStatus(status: number): ModelErrorCode {
  switch (status) {
    case 401:
    case 403:
      return 'auth-failed';
    case 402:
      return 'quota-exceeded';
    case 408:
    case 504:
      return 'timed-out';
    case 429:
      return 'rate-limited';
    case 503:
    case 529:
      return 'overloaded';
    // Two requests got in each other's way, or came too early: no fault of the request.
    case 409:
    case 425:
      return 'server-error';
    default:
      return status >= 500 ? 'server-error' : 'invalid-request';
  }
}

/** For errors within a stream, which have no status, and for those of the network. */
const BY_CODE: Words = {
  rate_limit_exceeded: 'rate-limited',
  rate_limit_error: 'rate-limited',
  overloaded_error: 'overloaded',
  server_overloaded: 'overloaded',
  slow_down: 'overloaded',
  server_error: 'server-error',
  api_error: 'server-error',
  internal_server_error: 'server-error',
  timeout_error: 'timed-out',
  invalid_api_key: 'auth-failed',
  authentication_error: 'auth-failed',
  permission_error: 'auth-failed',
  invalid_request_error: 'invalid-request',
  not_found_error: 'invalid-request',
  ECONNREFUSED: 'network',
  ECONNRESET: 'network',
  EPIPE: 'network',
  ENOTFOUND: 'network',
  EAI_AGAIN: 'network',
  EHOSTUNREACH: 'network',
  ENETUNREACH: 'network',
  ENETDOWN: 'network',
  ERR_STREAM_PREMATURE_CLOSE: 'network',
  UND_ERR_SOCKET: 'network',
  ETIMEDOUT: 'timed-out',
  UND_ERR_CONNECT_TIMEOUT: 'timed-out',
  UND_ERR_HEADERS_TIMEOUT: 'timed-out',
  UND_ERR_BODY_TIMEOUT: 'timed-out',
};

const BY_NAME: Words = {
  TimeoutError: 'timed-out',
  AI_LoadAPIKeyError: 'auth-failed',
  AI_InvalidPromptError: 'invalid-request',
  AI_InvalidArgumentError: 'invalid-request',
  AI_UnsupportedFunctionalityError: 'invalid-request',
  AI_EmptyResponseBodyError: 'empty-response',
  AI_NoContentGeneratedError: 'empty-response',
  AI_JSONParseError: 'invalid-response',
  AI_TypeValidationError: 'invalid-response',
  AI_InvalidResponseDataError: 'invalid-response',
};

/** How `fetch` puts a broken connection, and a provider package a stream that broke off. */
function isNetwork(text: string): boolean {
  return /^(fetch failed$|terminated$|Cannot connect to API|Response stream ended without a finish reason)/m.test(
    text,
  );
}
