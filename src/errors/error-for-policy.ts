import { readText } from '../internal/read-text.ts';
import { redactSecrets } from '../internal/redact-secrets.ts';
import { type AgentHooksError, MARKER } from './base.ts';

/**
 * What a policy gets of an error: one of the same class, frozen, with the same name, code, message and fields. The
 * `cause` is not there, as a provider's own error may hold the key or the body of a request, and neither is any
 * field but texts, numbers, booleans and counts. Texts are without what looks like a secret. Never throws.
 */
export function errorForPolicy(error: AgentHooksError): AgentHooksError {
  const seen = new Error();
  Object.setPrototypeOf(seen, Object.getPrototypeOf(error));
  for (const [key, { enumerable = false, value }] of membersOf(error)) {
    const shown = enumerable ? showable(value) : undefined;
    if (shown !== undefined) Object.defineProperty(seen, key, { value: shown, enumerable });
  }
  const message = redactSecrets(readText(error, 'message') ?? '');
  // Enumerable, so that it is part of what is digested.
  Object.defineProperty(seen, 'message', { value: message, enumerable: true });
  Object.defineProperty(seen, 'stack', { value: redactSecrets(readText(error, 'stack') ?? '') });
  Object.defineProperty(seen, MARKER, { value: Reflect.get(error, MARKER) });
  // It has the class of the error, whose fields were copied.
  return Object.freeze(seen) as unknown as AgentHooksError;
}

/** Fields only: a getter of somebody's error is not run. */
function membersOf(error: AgentHooksError): readonly [string, PropertyDescriptor][] {
  return Object.entries(Object.getOwnPropertyDescriptors(error));
}

function showable(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return redactSecrets(value.toWellFormed());
    case 'number':
    case 'boolean':
      return value;
    default:
      return isCounts(value) ? Object.freeze({ ...value }) : undefined;
  }
}

/** Such as the tokens that a failed call has used. */
function isCounts(value: unknown): value is { readonly [name: string]: number } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((count) => typeof count === 'number');
}
