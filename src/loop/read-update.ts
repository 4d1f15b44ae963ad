import { OperationError } from '../errors/operation-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { Writable } from '../internal/writable.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { PreparedOperation } from '../protocol/operation.ts';

/** An update as a tool gave it, read. */
export type ReadUpdate =
  | { readonly type: 'expired'; readonly operationId: string; readonly told: JsonObject }
  | {
      readonly type: 'progress' | 'revised' | 'ready';
      readonly operationId: string;
      readonly state: PreparedOperation;
      readonly told: JsonObject;
    };

const TYPES: readonly unknown[] = ['progress', 'revised', 'ready'];

/**
 * Reads one update of a tool that may say anything. One operation keeps its id, and its revision never goes back. Throws
 * `OperationError`.
 */
export function readUpdate(given: unknown, before: ReadUpdate | undefined): ReadUpdate {
  const read = asJson(given);
  const { type, operationId } = read;
  if (typeof operationId !== 'string' || operationId === '') throw invalid();
  if (before !== undefined && before.operationId !== operationId) throw invalid();
  const message = optional(read, 'message', (value) => typeof value === 'string');
  if (type === 'expired') return { type, operationId, told: deepFreeze({ ...read, type }) };
  if (!isStateType(type)) throw invalid();
  const { revision, snapshot = null } = read;
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision) || revision < 0)
    throw invalid();
  if (before !== undefined && before.type !== 'expired' && before.state.revision > revision)
    throw invalid();
  const expiresAt = optional(read, 'expiresAt', Number.isFinite);
  const state: Writable<PreparedOperation> = { operationId, revision, snapshot };
  if (typeof message === 'string') state.message = message;
  if (typeof expiresAt === 'number') state.expiresAt = expiresAt;
  // State and event share what neither may change.
  deepFreeze(state);
  return { type, operationId, state, told: deepFreeze({ type, ...state }) };
}

function isStateType(type: JsonValue | undefined): type is 'progress' | 'revised' | 'ready' {
  return TYPES.includes(type);
}

function asJson(given: unknown): JsonObject {
  let json: JsonValue;
  try {
    json = toJson(given);
  } catch (cause) {
    throw invalid(cause);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw invalid();
  return json as JsonObject; // Neither null nor a list is left.
}

function optional(
  read: JsonObject,
  name: string,
  accepts: (value: unknown) => boolean,
): JsonValue | undefined {
  const value = read[name];
  if (value !== undefined && !accepts(value)) throw invalid();
  return value;
}

function invalid(cause?: unknown): OperationError {
  return new OperationError('operation-invalid-update', cause === undefined ? {} : { cause });
}
