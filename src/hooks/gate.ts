import type { NamedFeedback, ToolVerdict } from '../decisions/fold.ts';
import type { ErrorVerdict } from '../decisions/fold-errors.ts';
import type { AgentHooksError } from '../errors/base.ts';
import type { HookError } from '../errors/hook-error.ts';
import type { AgentEvent, EventBody } from '../events/event.ts';
import type { CancelScope } from '../internal/cancel-scope.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatRequest, ChatResponse, ChatStreamPart } from '../protocol/chat.ts';
import type { Counters } from '../protocol/counters.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { StateValues } from '../protocol/state-values.ts';
import type {
  IncomingText,
  KnowledgeQuery,
  KnowledgeResults,
  OutgoingText,
  Purpose,
  TextWindow,
  TurnStart,
} from '../protocol/texts.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { HookPoint } from './agent-hooks.ts';

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

/** What all policies together say to text that is held back. */
export type WindowVerdict =
  /** The first `chars` characters may leave. */
  | { readonly type: 'release'; readonly chars: number }
  | { readonly type: 'block'; readonly policy: string; readonly reason: string }
  | HookFailed
  | HookCancelled;

/** Asks about the text of one answer as it grows. One question at a time. */
export interface WindowGate {
  ask(window: TextWindow): MaybePromise<WindowVerdict>;
}

/** The tool call that a question is about, or comes of. */
export interface AskedCall {
  readonly callId: string;
  readonly toolName: string;
}

/** What the policies make of a system prompt. */
export type PromptVerdict =
  | { readonly type: 'pass'; readonly value: string; readonly modified: boolean }
  | HookFailed
  | HookCancelled;

/** The summary that a policy has made of a history, if one has. */
export type SummaryVerdict =
  | { readonly type: 'summary'; readonly text: string; readonly policy: string }
  | { readonly type: 'no-opinion' }
  | HookFailed
  | HookCancelled;

/** One model call with the policies of `wrapLlmCall` around it. */
export interface WrappedCall {
  /**
   * What the outermost policy gives: read, checked and frozen part by part. Rejects with what the model threw, where
   * no policy made up for that, and as soon as there is an `ending`.
   */
  readonly parts: AsyncIterable<ChatStreamPart>;
  /** Why the call is over whatever its parts say: a policy failed or refused, or the turn was cancelled. */
  readonly ending:
    | HookFailed
    | Extract<ChainVerdict<ChatRequest>, { readonly type: 'block' }>
    | HookCancelled
    | undefined;
  /** Ends every policy and every call below it that is still open. What comes later is dropped. */
  close(): void;
}

/** A tool, as the policies around it reach it. */
export interface ToolCore {
  /** Runs it. Never rejects: whatever becomes of it is a result. */
  readonly execute: (invocation: ToolInvocation) => MaybePromise<ToolResult>;
  readonly check: CheckInput;
}

/** What came of a tool call with the policies of `wrapToolUse` around it. */
export interface WrappedResult {
  readonly result: ToolResult;
  /** What ran, the latest if more than once; absent when nothing did. */
  readonly ran?: ToolInvocation;
  /** True for a call that did not run and that no policy answered: the result is the engine's. */
  readonly unanswered: boolean;
  /** What the last policy that failed failed with, closed or open. */
  readonly failure?: HookError;
}

/** Where in a turn a policy is asked. */
export interface Moment {
  readonly step: number;
  readonly attempt: number;
  readonly purpose: Purpose;
  /** The id of the model, where it is not the agent's. */
  readonly model?: string;
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
  /** As `now`, without reading a clock where nothing has taken its time since that was read. Default: `now`. */
  readonly start?: () => number;
  /** Called after a hook that took its time without a wait. */
  readonly passTime?: () => void;
  /**
   * Takes `hook.decided` and `hook.failed` into the record of the run. May come after `close`, for what a hook
   * that had been given up on still did. Must not throw.
   */
  readonly record: (body: EventBody) => void;
  /** The HMAC of what was judged; absent for a run whose decisions nobody keeps or hears. */
  readonly digest?: (point: HookPoint, payload: unknown) => string;
  readonly messages: () => readonly Message[];
  /** What a policy reads of the thread's state; one from above a subagent reads that of its own thread. */
  readonly state: (policy: string) => StateValues;
  readonly counters: Counters;
  readonly memory: MemoryPort;
  readonly cancel: CancelScope;
}

/** The memory of all policies of one thread, as loaded; `set` marks a policy's as changed since the last commit. */
export interface MemoryPort {
  readonly read: (policy: string) => JsonObject;
  readonly write: (policy: string, value: JsonObject) => void;
  /**
   * Where the drafts of a policy are, that two runs use at a time: what is written around a subagent and what is written
   * in it are of one memory. Absent where there is one run only.
   */
  draftsOf?(policy: string): Drafts;
}

/** What policies write to their memory before it is known whether their answer counts. */
export interface Drafts {
  read(policy: string): JsonObject;
  /** `undefined` takes the key out. */
  write(policy: string, by: object, entry: readonly [string, JsonValue | undefined]): void;
  /** What was written in one ask counts from now on, or never happened. */
  settle(policy: string, by: object, counts: boolean): void;
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
  /**
   * For every system prompt that is built, before the request with it is judged; `moment.purpose` is the site.
   * `model`: the id of the one that will read it. Default: the agent's.
   */
  systemPrompt(prompt: string, moment: Moment, model?: string): PromptVerdict;
  /** Gives what `take` makes of the verdict, with no promise in between. */
  request<Result>(
    request: ChatRequest,
    moment: Moment,
    take: (verdict: ChainVerdict<ChatRequest>) => MaybePromise<Result>,
  ): MaybePromise<Result>;
  /** Puts the policies around a model call that was judged. `call` is the model: each reading of it is a paid call. */
  llmCall(
    request: ChatRequest,
    call: (request: ChatRequest) => AsyncIterable<ChatStreamPart>,
    moment: Moment,
  ): WrappedCall;
  /** For one answer: what its policies have said before is not recorded again. */
  textWindows(moment: Moment): WindowGate;
  /** A call that a rewrite adds gets its id from `newCallId`. */
  response<Result>(
    response: ChatResponse,
    asked: { readonly newCallId: () => string; readonly moment: Moment },
    take: (verdict: ChainVerdict<ChatResponse>) => MaybePromise<Result>,
  ): MaybePromise<Result>;
  toolUse<Result>(
    invocation: ToolInvocation,
    asked: { readonly check: CheckInput; readonly moment: Moment },
    take: (verdict: ToolChainVerdict) => MaybePromise<Result>,
  ): MaybePromise<Result>;
  /** Puts the policies around a tool call that may run. Never rejects: what a policy does wrong is a result. */
  toolCall(invocation: ToolInvocation, core: ToolCore, moment: Moment): Promise<WrappedResult>;
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
  /** `call`: the tool call that searches. Nobody is asked again after a rewrite, as nobody has a verdict here. */
  knowledgeQuery(
    query: KnowledgeQuery,
    call: AskedCall,
    moment: Moment,
  ): MaybePromise<ChainVerdict<KnowledgeQuery>>;
  /** As `knowledgeQuery`. The query cannot be changed here. */
  knowledgeResults(
    results: KnowledgeResults,
    call: AskedCall,
    moment: Moment,
  ): MaybePromise<ChainVerdict<KnowledgeResults>>;
  outgoing(message: OutgoingText, moment: Moment): MaybePromise<ChainVerdict<OutgoingText>>;
  /** Asks everyone, whatever the others say. A policy that fails where that is closed has said abort. */
  error(
    error: AgentHooksError,
    moment: Moment,
    call?: AskedCall,
  ): MaybePromise<ErrorVerdict | HookCancelled>;
  /** Tells everyone of an error, also after a cancel. What they say decides nothing; who takes its time is then cut off. */
  tellError(error: AgentHooksError, moment: Moment): MaybePromise<void>;
  /** Asks for a summary of `messages`, of at most `maxChars` characters. The first text counts, and ends the asking. */
  contextCompact(
    messages: readonly Message[],
    maxChars: number,
    moment: Moment,
  ): MaybePromise<SummaryVerdict>;
  /** Hands an event to every `onEvent` that names its type. Never awaited, never throws. */
  observe(event: AgentEvent): void;
  /** Ends every timer of the run. Hooks that are still running are told by their signal. */
  close(): void;
}
