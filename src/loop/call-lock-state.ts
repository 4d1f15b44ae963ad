import type { ToolResult } from '../protocol/tool.ts';

/** The locked arguments of a call: their names, and a digest of their values under the key of the thread. JSON. */
export interface CallLocks {
  readonly names: readonly string[];
  readonly digest: string;
}

export interface GuardMarks {
  /** Which arguments are locked, and as what they were judged; no value of them is in the state. */
  readonly locks?: CallLocks;
  /** What the precheck gave before a person was asked: the call gives that, and does not run. */
  readonly prechecked?: ToolResult;
}
