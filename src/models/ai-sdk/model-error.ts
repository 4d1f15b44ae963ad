import { AgentHooksError } from '../../errors/base.ts';
import { ModelError, type ModelErrorCode } from '../../errors/model-error.ts';
import { classify } from './classify.ts';
import { readFacts } from './error-facts.ts';
import { redactCause } from './redact-cause.ts';

/**
 * Sorts what a provider package threw into a `ModelError`. The message is our own: what the provider sent may
 * hold prompts, URLs and keys. `cause` says what it said, without headers, bodies and what looks like a key.
 */
export function toModelError(error: unknown, modelId: string): Error {
  if (AgentHooksError.isInstance(error)) return error;
  const facts = readFacts(error);
  const code = classify(facts);
  const { what, fix } = TEXTS[code] ?? FAILED;
  const status = facts.status === undefined ? '' : ` (status ${facts.status})`;
  return new ModelError(
    code,
    { where: `model '${modelId}'`, what: `${what}${status}`, fix },
    {
      cause: redactCause(error),
      ...(facts.status !== undefined && { statusCode: facts.status }),
      ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }),
    },
  );
}

interface Text {
  readonly what: string;
  readonly fix: string;
}

const FAILED: Text = { what: 'the call failed', fix: 'See `cause`, and try again' };

const TEXTS: { readonly [code in ModelErrorCode]?: Text } = {
  'rate-limited': {
    what: 'the provider limits the rate of requests',
    fix: 'Wait as long as `retryAfterMs` says, or raise the limit at the provider',
  },
  'quota-exceeded': {
    what: 'what was paid for at the provider is used up',
    fix: 'Add credit or raise the quota at the provider; waiting does not help',
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
  refused: {
    what: 'the provider refused to answer',
    fix: 'Its filter objects to what was asked; see `cause`',
  },
  network: {
    what: 'the provider could not be reached, or the connection broke off',
    fix: 'Check the network and the address of the provider, and try again',
  },
  'timed-out': { what: 'the provider took too long', fix: 'Try again' },
  'server-error': {
    what: 'the provider failed',
    fix: 'Try again; see its status page if it stays',
  },
  'empty-response': { what: 'the provider answered with nothing', fix: 'Try again' },
  'invalid-response': {
    what: 'the answer of the provider cannot be read',
    fix: 'See `cause`; the endpoint may not speak the protocol of its provider package',
  },
};
