import type { JsonObject } from '../protocol/json.ts';
import type { ToolResult } from '../protocol/tool.ts';

/** A call that the host was handed, with the input that policies around it let through. */
export interface HandedCall {
  readonly callId: string;
  readonly input: JsonObject;
}

/** What the host says came of a call, read and checked. */
export interface SubmittedResult {
  readonly callId: string;
  readonly result: ToolResult;
}
