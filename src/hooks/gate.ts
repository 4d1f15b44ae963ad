import type { NamedFeedback, ToolVerdict } from '../decisions/fold.ts';
import type { HookError } from '../errors/hook-error.ts';
import type { AgentEvent, EventBody } from '../events/event.ts';
import type { CancelScope } from '../internal/cancel-scope.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatRequest, ChatResponse } from '../protocol/chat.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { IncomingText, OutgoingText, Purpose, TurnStart } from '../protocol/texts.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { HookPoint } from './agent-hooks.ts';
import type { Counters } from './context.ts';

/** What a whole chain says about one value. */
export type ChainVerdict<Value> =
  | { readonly type: 'pass'; readonly value: Value; readonly modified: boolean }
  | {
      readonly type: 'block';
      readonly policy: string;
      readonly reason: string;
      /** What was refused, where a policy had rewritten it before: the original is to be read nowhere. */
      readonly rewritten?: Value;
    }
  | { readonly type: 'retry-with-feedback'; readonly feedback: readonly NamedFeedback[] }
  | HookFailed
  | HookCancelled;

/** A policy failed where that is closed. */
export interface HookFailed {
  readonly type: 'failed';
  readonly error: HookError;
}

/** The turn was cancelled while a policy was asked. */
export interface HookCancelled {
  readonly type: 'cancelled';
}

/** What the chain says about one tool call, and the call as its rewrites left it. */
export type ToolChainVerdict =
  | { readonly type: 'judged'; readonly verdict: ToolVerdict; readonly invocation: ToolInvocation }
  | HookFailed
  | HookCancelled;

/** Where in a turn a policy is asked. */
export interface Moment {
  readonly step: number;
  readonly attempt: number;
  readonly purpose: Purpose;
}

/** The facts of one run that every hook context of it shows. */
export interface RunFacts {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentPath: readonly string[];
  readonly model: string;
  readonly sender: JsonValue;
  readonly channel: JsonValue;
  readonly session: JsonValue;
  readonly context: unknown;
}

/** What the gate needs from the run around it. */
export interface GatePorts {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /**
   * Takes `hook.decided` and `hook.failed` into the record of the run. May come after `close`, for what a hook
   * that had been given up on still did. Must not throw.
   */
  readonly record: (body: EventBody) => void;
  /** The HMAC of what was judged; absent for a run whose decisions nobody keeps or hears. */
  readonly digest?: (point: HookPoint, payload: unknown) => string;
  readonly messages: () => readonly Message[];
  readonly state: () => { readonly [key: string]: JsonValue };
  readonly counters: Counters;
  readonly memory: MemoryPort;
  readonly cancel: CancelScope;
}

/** The memory of all policies of one thread, as loaded; `set` marks a policy's as changed since the last commit. */
export interface MemoryPort {
  readonly read: (policy: string) => JsonObject;
  readonly write: (policy: string, value: JsonObject) => void;
}

/** How a rewritten tool input is checked before anyone else sees it. */
export type CheckInput = (
  input: JsonValue,
) => MaybePromise<{ readonly input: JsonObject } | { readonly problem: string }>;

/**
 * The policies of one run, as the loop asks them. A method for a point nobody implements is never called:
 * check `has` first, and nothing is made for that point.
 */
export interface HookGate {
  readonly has: (point: HookPoint) => boolean;
  /** True when some policy that is enforced could take back what a live stream has shown. */
  readonly holdsStream: boolean;
  turnStart(turn: TurnStart, moment: Moment): MaybePromise<ChainVerdict<TurnStart>>;
  userMessage(message: IncomingText, moment: Moment): MaybePromise<ChainVerdict<IncomingText>>;
  request(request: ChatRequest, moment: Moment): MaybePromise<ChainVerdict<ChatRequest>>;
  /** A call that a rewrite adds gets its id from `newCallId`. */
  response(
    response: ChatResponse,
    newCallId: () => string,
    moment: Moment,
  ): MaybePromise<ChainVerdict<ChatResponse>>;
  toolUse(
    invocation: ToolInvocation,
    check: CheckInput,
    moment: Moment,
  ): MaybePromise<ToolChainVerdict>;
  /**
   * Never blocks. A closed failure gives an error result in the place of the real one, and is recorded. A
   * result is recorded whatever happens, so the policies are asked after a cancel too: a synchronous answer
   * counts, a hook that takes its time is cut off and has failed.
   */
  toolResult(
    invocation: ToolInvocation,
    result: ToolResult,
    moment: Moment,
  ): MaybePromise<ToolResult>;
  outgoing(message: OutgoingText, moment: Moment): MaybePromise<ChainVerdict<OutgoingText>>;
  /** Hands an event to every `onEvent` that names its type. Never awaited, never throws. */
  observe(event: AgentEvent): void;
  /** Ends every timer of the run. Hooks that are still running are told by their signal. */
  close(): void;
}
