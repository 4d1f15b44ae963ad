import type { JsonObject, JsonValue } from './json.ts';
import type { FilePart, ToolOutcome } from './message.ts';
import type { PreparedOperation } from './operation.ts';

/** `auto` runs when no policy objects; `confirm` asks a person unless a policy allows it. */
export type ToolTier = 'auto' | 'confirm';

/**
 * What running a tool does to the world. `none` only reads; `idempotent` may be repeated with the same
 * `idempotencyKey`; `once` must never run twice, and is what a tool is that says nothing.
 */
export type SideEffects = 'none' | 'idempotent' | 'once';

/**
 * One tool call about to run, as policies judge it.
 *
 * Both inputs are frozen wire JSON. `effectiveInput` is what will run: rewrites applied and checked against
 * the tool's schema. Locked values are in it so that a gate can judge them, and in nothing that is recorded.
 */
export interface ToolInvocation<Input = JsonObject> {
  readonly callId: string;
  readonly providerCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly tier: ToolTier;
  readonly sideEffects: SideEffects;
  readonly requestedInput: Input;
  readonly effectiveInput: Input;
  readonly batch: { readonly index: number; readonly size: number };
  /** What a listen tool has prepared, and would carry out. Absent for every other tool. */
  readonly prepared?: PreparedOperation;
  /** The person's answer, when the call is judged again after an approval. */
  readonly approval?: ApprovalAnswer;
}

/** What came of a call that ran. `outcome` is the engine's; a policy may change the rest. */
export interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly isError: boolean;
  readonly output: JsonValue;
  /** In the ledger only: a precheck gave it, and the tool did not run. */
  readonly prechecked?: true;
  /** Pictures and documents, never of an error. */
  readonly files?: readonly FilePart[];
}

/** A call that the host is to run. Its input is checked, judged and approved. */
export interface HostCall {
  readonly callId: string;
  readonly providerCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly sideEffects: SideEffects;
  readonly input: JsonObject;
  /** The same however often the call is listed, and for no other call of any thread. Hand it to what runs the call. */
  readonly idempotencyKey: string;
}

/**
 * What came of a call that the host ran: an output, or in its own words why there is none, which the model reads. With
 * the `idempotencyKey` of the call it is refused on any thread but its own.
 */
export type SubmittedToolResult = {
  readonly callId: string;
  readonly idempotencyKey?: string;
} & ({ readonly output: JsonValue } | { readonly error: string });

/** A person's answer to one pending approval. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  /** Who answered, as the host identified them. */
  readonly by: string;
  readonly reason?: string;
  /** An edited input. It is checked against the tool's schema and judged again before it runs. */
  readonly input?: JsonObject;
}
