import { AgentHooksError } from '../../errors/base.ts';
import { ModelError, type ModelErrorCode } from '../../errors/model-error.ts';
import { isRecord, readString } from './read-result.ts';

/**
 * Sorts what a provider package threw into a `ModelError`. The message is our own: what the provider sent may
 * hold prompts, URLs and keys, and stays in `cause`.
 */
export function toModelError(error: unknown, modelId: string): Error {
  if (AgentHooksError.isInstance(error)) return error;
  const facts = readFacts(error);
  const code = classify(facts);
  const { what, fix } = TEXTS[code];
  const status = facts.status === undefined ? '' : ` (status ${facts.status})`;
  return new ModelError(
    code,
    { where: `model '${modelId}'`, what: `${what}${status}`, fix },
    {
      cause: error,
      ...(facts.status !== undefined && { statusCode: facts.status }),
      ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }),
    },
  );
}

interface Facts {
  /** Of the error and of what caused it. */
  readonly names: readonly string[];
  readonly status: number | undefined;
  /** The provider's own words for what is wrong, such as `context_length_exceeded`. */
  readonly codes: readonly string[];
  /** Only ever searched, never passed on. */
  readonly text: string;
  readonly retryAfterMs: number | undefined;
}

function readFacts(error: unknown): Facts {
  const thrown = isRecord(error) ? error : {};
  const data = isRecord(thrown['data']) ? thrown['data'] : {};
  const detail = isRecord(data['error']) ? data['error'] : data;
  const nested = isRecord(thrown['error']) ? thrown['error'] : {};
  const status = thrown['statusCode'] ?? thrown['status'];
  return {
    names: [nameOf(error), nameOf(thrown['cause'])],
    status: typeof status === 'number' ? status : undefined,
    codes: [thrown, detail, nested].flatMap((one) => [
      readString(one['code']),
      readString(one['type']),
    ]),
    text: [thrown['message'], thrown['responseBody'], detail['message'], nested['message']]
      .map(readString)
      .join('\n'),
    retryAfterMs: readRetryAfter(thrown['responseHeaders']),
  };
}

function nameOf(value: unknown): string {
  return isRecord(value) ? readString(value['name']) : '';
}

const OVERFLOW =
  /context.?(length|window)|maximum context|(prompt|input) is too long|too many (input )?tokens|token (count|limit).{0,40}exceed/i;

function classify({ status, codes, text, names }: Facts): ModelErrorCode {
  const mayOverflow = status === undefined || status === 400 || status === 413 || status === 422;
  if (codes.includes('context_length_exceeded') || (mayOverflow && OVERFLOW.test(text))) {
    return 'context-overflow';
  }
  if (status !== undefined && status >= 400) return ofStatus(status);
  const code = codes.find((one) => Object.hasOwn(BY_WORD, one));
  const name = names.find((one) => Object.hasOwn(BY_WORD, one));
  return BY_WORD[code ?? name ?? ''] ?? 'model-failed';
}

function ofStatus(status: number): ModelErrorCode {
  if (status === 429) return 'rate-limited';
  if (status === 503 || status === 529) return 'overloaded';
  if (status === 401 || status === 403) return 'auth-failed';
  // A time limit and a conflict of the server's own are no fault of the request.
  if (status === 408 || status === 409 || status >= 500) return 'model-failed';
  return 'invalid-request';
}

/** For errors that have no status: those within a stream by their code, those of the client by their name. */
const BY_WORD: Readonly<Record<string, ModelErrorCode>> = {
  rate_limit_exceeded: 'rate-limited',
  rate_limit_error: 'rate-limited',
  insufficient_quota: 'rate-limited',
  overloaded_error: 'overloaded',
  invalid_api_key: 'auth-failed',
  authentication_error: 'auth-failed',
  permission_error: 'auth-failed',
  invalid_request_error: 'invalid-request',
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

const TEXTS: Readonly<Record<ModelErrorCode, { readonly what: string; readonly fix: string }>> = {
  'rate-limited': {
    what: 'the provider limits the rate of requests',
    fix: 'Wait as long as `retryAfterMs` says, or raise the quota at the provider',
  },
  overloaded: { what: 'the provider is overloaded', fix: 'Wait and try again' },
  'context-overflow': {
    what: 'the request is longer than the context of the model',
    fix: 'Shorten the history or the tool results, or use a model with a larger context',
  },
  'auth-failed': {
    what: 'the provider did not accept the key',
    fix: 'Check the API key and what it may use',
  },
  'invalid-request': {
    what: 'the provider refused the request',
    fix: 'See `cause` for what it did not accept',
  },
  refused: { what: 'the provider refused to answer', fix: 'See `cause`' },
  'empty-response': { what: 'the provider answered with nothing', fix: 'Try again' },
  'invalid-response': {
    what: 'the answer of the provider cannot be read',
    fix: 'See `cause`; the endpoint may not speak the protocol of its provider package',
  },
  'script-exhausted': { what: 'the script is over', fix: 'Add an entry for each model call' },
  'attempts-exhausted': { what: 'every attempt failed', fix: 'See `cause`' },
  'unusable-calls': { what: 'no tool can take the calls', fix: 'See the results in the history' },
  'model-failed': { what: 'the call failed', fix: 'See `cause`, and try again' },
};

function readRetryAfter(headers: unknown): number | undefined {
  if (!isRecord(headers)) return undefined;
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const exact = Number.parseFloat(readString(byName.get('retry-after-ms')));
  if (exact >= 0) return exact;
  const text = readString(byName.get('retry-after')).trim();
  if (text === '') return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
