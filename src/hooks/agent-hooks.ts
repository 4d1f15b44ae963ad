import type { ErrorDecision } from '../decisions/error-decision.ts';
import type { QueryDecision, ResultsDecision } from '../decisions/knowledge-decision.ts';
import type { MessageDecision } from '../decisions/message-decision.ts';
import type { RequestDecision } from '../decisions/request-decision.ts';
import type { ResponseDecision } from '../decisions/response-decision.ts';
import type { ToolDecision } from '../decisions/tool-decision.ts';
import type { ToolResultDecision } from '../decisions/tool-result-decision.ts';
import type { TurnDecision } from '../decisions/turn-decision.ts';
import type { WindowDecision } from '../decisions/window-decision.ts';
import type { AgentHooksError } from '../errors/base.ts';
import type { AgentEvent } from '../events/event.ts';
import type { EventPattern } from '../events/pattern.ts';
import type { ChatRequest, ChatResponse, ChatStreamPart } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';
import type { StateOf } from '../protocol/state-values.ts';
import type {
  IncomingText,
  KnowledgeQuery,
  KnowledgeResults,
  OutgoingText,
  PromptInfo,
  TextWindow,
  TurnStart,
} from '../protocol/texts.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { HookContext } from './context.ts';

/** An answer now or later; returning nothing is no opinion. */
export type Answer<Decision> = Decision | Nothing | PromiseLike<Decision | Nothing>;

// biome-ignore lint/suspicious/noConfusingVoidType: what a method has that returns on some of its paths only
type Nothing = undefined | void;

/** How one policy is asked at one point. */
export interface HookOptions {
  /**
   * Milliseconds. Default: 5 s, or 500 ms with `hookTimeouts: 'voice'`; in either profile 30 s at `wrapLlmCall` and
   * `wrapToolUse`, 60 s at `onContextCompact` and 100 ms at `onEvent`.
   */
  readonly timeoutMs?: number;
  /**
   * What a failure of this policy means here. Default: `closed`, and `open` at `postToolUse`, `onKnowledgeResults`,
   * `onOutgoingMessage`, `onContextCompact` and `onEvent`.
   */
  readonly failure?: 'closed' | 'open';
  /**
   * Returning nothing is then a failure, as where a decision was made and not returned; `ToolDecision.abstain()` is not.
   * Default: false.
   */
  readonly mustDecide?: boolean;
}

/**
 * A policy: an object with any of these methods. One that is not implemented, or returns nothing, has no
 * opinion. Ports the Rust `AgentHooks` trait, and gives what Mantle's hooks and Unmute's hooks give.
 *
 * What a policy receives of the protocol is deeply frozen JSON; it answers with a decision and changes
 * nothing. A policy that throws, hangs or answers anything else has failed, which is never an allow: the
 * points table says what happens then.
 */
export interface AgentHooks<Context = unknown, State = StateOf<Context>> {
  /** In decisions, events and errors. Default: the class name. Explicit and unique for a policy that keeps memory or asks for approval. */
  readonly name?: string;
  /** Recorded with approvals; after a change an open approval is asked again. */
  readonly version?: string;
  /** Before or after the unmarked ones. Default: the order of the list. */
  readonly order?: 'first' | 'last';
  readonly options?: { readonly [Point in HookPoint]?: HookOptions };
  /** What `onEvent` hears. Default: everything. */
  readonly events?: readonly EventPattern[];

  /** Before anything of the turn is stored. A Block or a failure ends it with nothing stored. */
  onTurnStart?(turn: TurnStart, ctx: HookContext<Context, State>): Answer<TurnDecision>;
  /** The user's final text, before it is stored. Block: the text is kept in the audit only and a fallback shown. */
  onUserMessage?(message: IncomingText, ctx: HookContext<Context, State>): Answer<MessageDecision>;
  /**
   * Each system prompt the SDK builds, before placeholders are filled. Synchronous, and called for each request;
   * `preLlmRequest` sees what it gives. An agent without instructions is asked about `''`. Returning nothing keeps
   * the prompt, `''` sends none. A failure fails the request: the model is not called.
   */
  systemPrompt?(prompt: string, info: PromptInfo): string | Nothing;
  /** Once per model call, on exactly what will be sent. On a turn's first step the user's message is not stored yet. */
  preLlmRequest?(request: ChatRequest, ctx: HookContext<Context, State>): Answer<RequestDecision>;
  /**
   * Around one model call, the first policy outermost. What it yields is the answer, its `finish` part included; it
   * may change the parts, or skip `next`. Another request given to `next` is judged again at `preLlmRequest`. Each
   * reading of a `next` is a paid call and counts, whatever becomes of its parts; usage a policy writes does not. What
   * `next` throws is the model's failure and may be caught. Its time stands while it waits for `next`. A failure fails
   * the call; where it is open, one before the first part and the first `next` is as if the policy were not there.
   */
  wrapLlmCall?(
    request: ChatRequest,
    next: (request: ChatRequest) => AsyncIterable<ChatStreamPart>,
    ctx: HookContext<Context, State>,
  ): AsyncIterable<ChatStreamPart>;
  /**
   * As held text grows, in streaming mode `window`; in every other, and in `run`, once about the whole text. What
   * no policy holds back leaves. No opinion releases all that is held; at the end, whoever releases less has failed.
   */
  onTextWindow?(window: TextWindow, ctx: HookContext<Context, State>): Answer<WindowDecision>;
  /** The whole response, before it is stored, shown or acted on. */
  onLlmResponse?(
    response: ChatResponse,
    ctx: HookContext<Context, State>,
  ): Answer<ResponseDecision>;
  /** Every call of a batch, in order, before any tool of the batch runs; again when a person has answered. */
  preToolUse?(invocation: ToolInvocation, ctx: HookContext<Context, State>): Answer<ToolDecision>;
  /**
   * Around one call that may run, the first policy outermost; async. May skip `next`: its result is then the result.
   * Another `effectiveInput` given to `next` is checked and judged again at `preToolUse`; nothing else can be changed.
   * A tool that must not run twice cannot be called twice: the second `next` rejects. `outcome` tells what was done, so
   * it stays that of the call. Its time stands while it waits for `next`. A failure is an error the model reads, which
   * says whether the call ran.
   */
  wrapToolUse?(
    invocation: ToolInvocation,
    next: (invocation: ToolInvocation) => Promise<ToolResult>,
    ctx: HookContext<Context, State>,
  ): Promise<ToolResult>;
  /** After each call that ran, before its result is recorded; last policy first. Open by default: it already ran. */
  postToolUse?(
    invocation: ToolInvocation,
    result: ToolResult,
    ctx: HookContext<Context, State>,
  ): Answer<ToolResultDecision>;
  /** Before a knowledge search. */
  onKnowledgeQuery?(query: KnowledgeQuery, ctx: HookContext<Context, State>): Answer<QueryDecision>;
  /** What a knowledge search found, before the model reads it. */
  onKnowledgeResults?(
    results: KnowledgeResults,
    ctx: HookContext<Context, State>,
  ): Answer<ResultsDecision>;
  /** Each text for the user, also beside tool calls. Open by default. */
  onOutgoingMessage?(
    message: OutgoingText,
    ctx: HookContext<Context, State>,
  ): Answer<MessageDecision>;
  /**
   * What a failed model call, or a failed tool call after its `postToolUse`, means. Everyone is asked: abort beats
   * fallback beats silent beats recover; `true` is recover, `false` abort, nothing no opinion, and to throw is abort.
   *
   * | answer | model call | tool call |
   * |---|---|---|
   * | recover | one more step: a new request, judged again; at most 8 in a row over turns and processes | as without an opinion |
   * | fallback | the turn ends `failed`, this text is shown | the same, every call of the batch with its result |
   * | silent | ends `failed`, nothing is shown | the same |
   * | abort | ends `failed`, `fallbacks.error` is shown | the same |
   * | nothing | as abort | the model reads the result; no tool ever runs again |
   *
   * Only told, whatever it answers: a failed policy (`HookError`), a cap (`ResponseRetryCapError`, `RecoveryCapError`,
   * calls no tool can take) and a cancel (`TurnCancelledError`, with `ctx.signal` aborted). Not asked: a refusal of
   * the provider, an error of the store.
   *
   * The error is frozen and of its own class (`ModelError`, `ToolCallError` and so on), without `cause` and with what
   * looks like a secret taken out: `JSON.stringify` gives name, code and message. The result of the run has the cause.
   */
  onError?(
    error: AgentHooksError,
    ctx: HookContext<Context, State>,
  ): Answer<boolean | ErrorDecision>;
  /** Before history is compacted: a summary to use, or nothing for the built-in one. */
  onContextCompact?(messages: readonly Message[], ctx: HookContext<Context, State>): Answer<string>;
  /** Every event that `events` names. Never awaited, changes nothing. */
  onEvent?(event: AgentEvent, ctx: HookContext<Context, State>): unknown;
}

/** A moment of a turn at which policies are asked: every method of `AgentHooks`. */
export type HookPoint =
  | 'onTurnStart'
  | 'onUserMessage'
  | 'systemPrompt'
  | 'preLlmRequest'
  | 'wrapLlmCall'
  | 'onTextWindow'
  | 'onLlmResponse'
  | 'preToolUse'
  | 'wrapToolUse'
  | 'postToolUse'
  | 'onKnowledgeQuery'
  | 'onKnowledgeResults'
  | 'onOutgoingMessage'
  | 'onError'
  | 'onContextCompact'
  | 'onEvent';
