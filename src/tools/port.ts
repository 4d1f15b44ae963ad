import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { Slots } from '../internal/slots.ts';
import type { ToolDescription } from '../protocol/chat.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { CancelledOperation, PreparedOperation } from '../protocol/operation.ts';
import type { StateOf, StateValues } from '../protocol/state-values.ts';
import type { Placeholder } from '../protocol/template.ts';
import type { SideEffects, ToolTier } from '../protocol/tool.ts';
import type { AnnounceRule } from './announce-port.ts';
import type { InputProblem } from './input-port.ts';
import type { ToolLocks } from './lock-port.ts';
import type { OutputWithFiles } from './output-port.ts';
import type { ResultRules } from './result-port.ts';

/**
 * The thread's typed state, as a running tool reads and writes it. Of calls that run side by side the latest write
 * counts; between a `get` and a `set` without an `await` nothing else happens. Throws `StateError`.
 */
export interface ToolState<State = StateValues> {
  /** The value now, what calls beside this one wrote included; the default of a field that is not set. Frozen. */
  get<Field extends keyof State & string>(field: Field): State[Field];
  /**
   * Checked against the schema of the field at once, read by everyone at once, stored with the step. Counts also when
   * the tool then fails, as it did run; refused once the call has its result. `undefined` gives the field back to its
   * default. Events tell the name of the field and never the value.
   */
  set<Field extends keyof State & string>(field: Field, value: State[Field]): void;
}

/** What a running tool may know and do. `State`: the output of the agent's `stateSchema`. */
export interface ToolContext<Context = unknown, State = StateOf<Context>> {
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
  /** The thread's state. Without a `stateSchema` whatever is asked of it throws. */
  readonly state: ToolState<State>;
  /** Who speaks, over what and in which session, as the app passed it to this run. `null` where it said nothing. */
  readonly sender: JsonValue;
  readonly channel: JsonValue;
  readonly session: JsonValue;
  /** What the app passed to `run`, untouched. */
  readonly context: Context;
  /**
   * What a listen tool has prepared for this call. While it prepares: what an earlier `listen` of the call came to, which
   * is to be read again and not made anew; absent the first time.
   */
  readonly prepared?: PreparedOperation;
}

/** What a tool knows while it prepares an operation, or gives one up. It does not write to the state of the thread. */
export type ListenContext<Context = unknown, State = StateOf<Context>> = Omit<
  ToolContext<Context, State>,
  'state'
> & { readonly state: Pick<ToolState<State>, 'get'> };

/** How the loop sees the operations of a listen tool. What it is told of them is not checked yet. */
export interface OperationPort<Context = unknown, State = StateOf<Context>> {
  readonly prepareTimeoutMs: number;
  readonly maxUpdates: number;
  readonly listen: (
    input: JsonObject,
    ctx: ListenContext<Context, State>,
  ) => MaybePromise<AsyncIterable<unknown>>;
  readonly cancel: (
    operation: CancelledOperation,
    ctx: ListenContext<Context, State>,
  ) => MaybePromise<void>;
}

/** What a precheck may know. It changes nothing, so it can only read the state. */
export interface PrecheckContext<Context = unknown, State = StateOf<Context>>
  extends Pick<
    ToolContext<Context, State>,
    'threadId' | 'turnId' | 'callId' | 'toolName' | 'sender' | 'channel' | 'session' | 'context'
  > {
  readonly state: Pick<ToolState<State>, 'get'>;
}

/** What becomes of a running call whose turn is interrupted. */
export type Interruption = 'provider_default' | 'cancel' | 'continue';

/** How the loop sees a tool: input in and output out as JSON. */
export interface ToolPort<Context = unknown, State = StateOf<Context>> {
  readonly name: string;
  readonly displayName: string;
  readonly tier: ToolTier;
  readonly sideEffects: SideEffects;
  /** True when calls of this tool may run beside others of their batch. Default: only for `none`. */
  readonly parallel: boolean;
  /** What a call waits for before it runs, whoever runs it; absent for a tool without a limit. */
  readonly slots?: Slots;
  /** Milliseconds `execute` may take; none by default. */
  readonly timeoutMs?: number;
  /** Default: `provider_default`. */
  readonly interruption?: Interruption;
  /** Changes when the tool does something else: an approval holds for the version that it was asked for. */
  readonly version?: string;
  readonly description: ToolDescription;
  /** Added to the prompt of an approval that only the tier asks for: how to declare the tool harmless. */
  readonly tierHint?: string;
  /** Checks wire JSON against the input schema. The problem names every field, and quotes no value. */
  readonly check: (input: JsonValue) => MaybePromise<{ readonly input: JsonObject } | InputProblem>;
  /** Parses the wire JSON once and executes. Throws what `execute` throws; its output is already JSON. */
  readonly run: (
    input: JsonObject,
    ctx: ToolContext<Context, State>,
  ) => MaybePromise<JsonValue | OutputWithFiles>;
  /** What is said before a call runs. Absent where nothing is. */
  readonly announce?: AnnounceRule;
  /** Arguments that neither the model nor a policy gives; absent for a tool without them. `check` takes the whole input. */
  readonly locks?: ToolLocks;
  /**
   * Asked before the tool runs, and before a person is asked: an outcome, as JSON, that is given in the place of a run,
   * or nothing. Throws what the rule throws, and for an outcome that does not fit.
   */
  readonly precheck?: (
    input: JsonObject,
    ctx: PrecheckContext<Context, State>,
  ) => MaybePromise<JsonValue | undefined>;
  /** What an option of the tool names of the state of the thread: whether that is there, the agent says. */
  readonly stateNames?: { readonly option: string; readonly names: readonly Placeholder[] };
  /** What becomes of results that work, as the tool says it for every agent. Absent where it says nothing. */
  readonly onResult?: ResultRules;
  /** The JSON Schema of results, made when asked for; absent for a tool without `outputSchema`. */
  readonly resultSchema?: () => JsonObject;
  /**
   * Set for a tool that the host runs, and the engine never: what the host gave, checked, as JSON. Throws for what does
   * not fit.
   */
  readonly readResult?: (output: unknown) => MaybePromise<JsonValue | OutputWithFiles>;
  /** Set for a tool whose calls prepare an operation first, which `run` then carries out (`ctx.prepared`). */
  readonly operation?: OperationPort<Context, State>;
  /**
   * What the model reads in the place of a result that worked, after every policy has seen the whole of it. Absent
   * where it reads everything. Leaves a result that reports an error as it is; other failures it never gets. Pure.
   */
  readonly forModel?: (output: JsonValue) => JsonValue;
  /** True where the model reads no files of a result. */
  readonly hidesFiles?: true;
  /** Bytes of an output that the model reads. Default: what the agent says. */
  readonly maxOutputBytes?: number;
  /** True for outputs that nobody vouches for: the model reads them between markers. */
  readonly untrusted?: true;
  /** Waits for what goes on after calls of this thread were answered. The end of the thread waits for it, up to a limit. */
  readonly drain?: (threadId: string) => Promise<void>;
}

/** The tools of one agent, by name. Names come from a model, so `get` finds nothing but tools. */
export interface ToolRegistry {
  readonly size: number;
  /** In the order of the list, frozen: the same array for every request. */
  readonly descriptions: readonly ToolDescription[];
  readonly get: (name: string) => ToolPort<never> | undefined;
}
