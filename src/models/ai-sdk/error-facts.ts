import { isRecord, readString } from './read-values.ts';

/** What can be told of an error without knowing who made it. */
export interface ErrorFacts {
  /** Names of the error and of what caused it. */
  readonly names: readonly string[];
  /** Of a request that failed; one whose answer could not be read had a good one. */
  readonly status: number | undefined;
  /** The provider's own words for what is wrong, such as `context_length_exceeded`, and those of the network. */
  readonly codes: readonly string[];
  /** Only ever searched, never passed on. */
  readonly text: string;
  readonly retryAfterMs: number | undefined;
}

/** A cause of a cause of a cause has nothing new to say. */
const DEEPEST = 4;

/** Looks at an error, at what it carries of the provider's answer, and at what caused it. */
export function readFacts(error: unknown): ErrorFacts {
  const chain = causesOf(error);
  const tellers = chain.flatMap(tellersOf);
  const statuses = chain.map((one) => one['statusCode'] ?? one['status']);
  return {
    names: chain.map((one) => readString(one['name'])),
    status: statuses.find(isFailure),
    codes: tellers.flatMap((one) => [readString(one['code']), readString(one['type'])]),
    text: tellers
      .flatMap((one) => [readString(one['message']), readString(one['responseBody'])])
      .join('\n'),
    retryAfterMs: chain
      .map((one) => readRetryAfter(one['responseHeaders']))
      .find((delay) => delay !== undefined),
  };
}

function isFailure(status: unknown): status is number {
  return typeof status === 'number' && status >= 400;
}

type Teller = { readonly [key: string]: unknown };

function causesOf(error: unknown): Teller[] {
  const chain: Teller[] = [];
  for (let each = error; isRecord(each) && chain.length < DEEPEST; each = each['cause']) {
    chain.push(each);
  }
  return chain;
}

/** The provider's words are on the error, in the error of its body, or in that of a stream's event. */
function tellersOf(error: Teller): Teller[] {
  const data = isRecord(error['data']) ? error['data'] : {};
  const response = isRecord(error['response']) ? error['response'] : {};
  const body = readBody(error['responseBody']);
  const inner = [data['error'], error['error'], response['error'], body['error']].filter(isRecord);
  return [error, data, body, ...inner];
}

/** What a package could not make sense of may still hold the word that says what is wrong. */
function readBody(body: unknown): Teller {
  try {
    const read: unknown = JSON.parse(readString(body));
    return isRecord(read) ? read : {};
  } catch {
    // No JSON, which is as good as nothing said.
    return {};
  }
}

/** In seconds or as a date, and in milliseconds where a provider is that exact. */
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
