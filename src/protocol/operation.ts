import type { JsonValue } from './json.ts';

/** What a listen tool has prepared: what people are shown, policies judge, and `execute` carries out. Frozen JSON. */
export interface PreparedOperation {
  /** What the service that prepared it calls it. */
  readonly operationId: string;
  /** Which state of the operation this is. Another number is another operation to whoever has approved this one. */
  readonly revision: number;
  /** What would be carried out, as an amount and a receiver. `null` where the tool shows nothing. */
  readonly snapshot: JsonValue;
  readonly message?: string;
  /** Milliseconds since the epoch from which on it is not carried out any more. Absent for no limit. */
  readonly expiresAt?: number;
}

/**
 * What a listen tool says while it prepares an operation. `ready` ends the preparing, `expired` makes the call fail;
 * `progress` and `revised` are told to observers, as is everything.
 */
export type OperationUpdate =
  | (OperationState & { readonly type: 'progress' | 'revised' | 'ready' })
  | { readonly type: 'expired'; readonly operationId: string; readonly message?: string };

interface OperationState {
  readonly operationId: string;
  /** A whole number from 0 that never goes back. */
  readonly revision: number;
  readonly snapshot?: JsonValue;
  readonly message?: string;
  readonly expiresAt?: number;
}

/**
 * Why an operation is given up. `refused`: a policy or a person said no. `failed`: it did not become ready. `expired`: its
 * time was over. `replaced`: another took its place. `dropped`: the turn went on, or ended, without it.
 */
export type CancelReason = 'refused' | 'failed' | 'expired' | 'replaced' | 'dropped';

/** An operation that will not be carried out. */
export interface CancelledOperation {
  readonly operationId: string;
  readonly reason: CancelReason;
}
