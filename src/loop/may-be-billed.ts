import { ModelError, type ModelErrorCode } from '../errors/model-error.ts';

/** The provider has said, or could not hear, that it would not answer: nothing was generated. */
const NOT_BILLED: ReadonlySet<ModelErrorCode> = new Set<ModelErrorCode>([
  'rate-limited',
  'quota-exceeded',
  'overloaded',
  'context-overflow',
  'auth-failed',
  'invalid-request',
  'server-error',
  'script-exhausted',
  'unknown-model',
]);

/** The connection was never made, as Node tells it. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Failures of attempts that reached a model for sure, and say nothing of what they used. */
const BILLED: ReadonlySet<string> = new Set<ModelErrorCode>(['timed-out', 'invalid-response']);

/** Whether an attempt that was given up for another one was probably billed, by the code of its error. */
export function attemptWasBilled(reason: string): boolean {
  return BILLED.has(reason);
}

const DEEPEST = 8;

/** Whether a call that failed, without a piece of an answer, may be billed all the same. In doubt it may. */
export function mayBeBilled(error: unknown, depth = 0): boolean {
  try {
    if (depth > DEEPEST || typeof error !== 'object' || error === null) return true;
    if (ModelError.isInstance(error) && NOT_BILLED.has(error.code)) return false;
    if (NOT_SENT.has(Reflect.get(error, 'code'))) return false;
    const all: unknown = Reflect.get(error, 'errors');
    if (Array.isArray(all) && all.length > 0) return all.some((one) => mayBeBilled(one, depth + 1));
    return mayBeBilled(Reflect.get(error, 'cause'), depth + 1);
  } catch {
    // A foreign object may throw when it is looked at, and then says nothing.
    return true;
  }
}
