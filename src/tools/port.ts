import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolDescription } from '../protocol/chat.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { SideEffects, ToolTier } from '../protocol/tool.ts';

/** What a running tool may know and do. */
export interface ToolContext<Context = unknown> {
  readonly threadId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  /** The same for every attempt at this call, and for no other call. Hand it to what the tool calls. */
  readonly idempotencyKey: string;
  /** From 1; more after a crash, for tools that may be repeated. */
  readonly attempt: number;
  /** Aborted when the turn is cancelled or the tool's time is over. Made when first read. */
  readonly signal: AbortSignal;
  /** Tells observers how far the tool is. Not stored, and nobody hears it once the call has its result. */
  readonly progress: (data: JsonValue) => void;
  /** What the app passed to `run`, untouched. */
  readonly context: Context;
}

/** How the loop sees a tool: input in and output out as JSON. */
export interface ToolPort<Context = unknown> {
  readonly name: string;
  readonly displayName: string;
  readonly tier: ToolTier;
  readonly sideEffects: SideEffects;
  /** True when calls of this tool may run beside others of their batch. Default: only for `none`. */
  readonly parallel: boolean;
  /** Milliseconds `execute` may take; none by default. */
  readonly timeoutMs?: number;
  readonly description: ToolDescription;
  /** Added to the prompt of an approval that only the tier asks for: how to declare the tool harmless. */
  readonly tierHint?: string;
  /** Checks wire JSON against the input schema. The problem names every field, and quotes no value. */
  readonly check: (
    input: JsonValue,
  ) => MaybePromise<{ readonly input: JsonObject } | { readonly problem: string }>;
  /** Parses the wire JSON once and executes. Throws what `execute` throws; its output is already JSON. */
  readonly run: (input: JsonObject, ctx: ToolContext<Context>) => MaybePromise<JsonValue>;
}

/** The tools of one agent, by name. Names come from a model, so `get` finds nothing but tools. */
export interface ToolRegistry {
  readonly size: number;
  /** In the order of the list, frozen: the same array for every request. */
  readonly descriptions: readonly ToolDescription[];
  readonly get: (name: string) => ToolPort<never> | undefined;
}
