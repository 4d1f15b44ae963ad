import type { JsonObject } from '../protocol/json.ts';
import type { PreparedOperation } from '../protocol/operation.ts';

/** What a call of a listen tool has begun at its service. Stored as soon as it has a name. */
export interface Operation {
  readonly operationId: string;
  /** The input it was prepared for. */
  readonly input: JsonObject;
  /** Absent while it is not ready. */
  readonly prepared?: PreparedOperation;
}

/** What calls of listen tools add to a call of a batch. */
export interface ListenMarks {
  /** Set for a call of a listen tool. */
  readonly isListen?: true;
  readonly operation?: Operation;
}
