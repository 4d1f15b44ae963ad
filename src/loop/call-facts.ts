import type { JsonObject } from '../protocol/json.ts';

/** What a process knows of the calls of a batch, and what is stored of a thread must not hold. */
export class CallFacts {
  /** By call, the input with its locked arguments, as it was judged last or has run. */
  readonly inputs: Map<string, JsonObject> = new Map();
  /** The calls whose precheck gave an outcome in the place of a run. */
  readonly prechecked: Set<string> = new Set();
  /** The calls whose start the ledger knows, where that was stored after their batch. */
  readonly begun: Set<string> = new Set();
  /** By call, the milliseconds it has waited for its slots. */
  readonly waitedMs: Map<string, number> = new Map();
}
