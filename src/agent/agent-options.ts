import type { FallbackCause } from '../events/event.ts';
import type { AgentHooks } from '../hooks/agent-hooks.ts';
import type { SpokenLine } from '../loop/lines-port.ts';
import type { Note } from '../loop/note.ts';
import type { Limits, Prices } from '../loop/rules.ts';
import type { ChatModel } from '../models/port.ts';
import type { ModelSettings } from '../protocol/chat.ts';
import type { Counters } from '../protocol/counters.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Message, UserMessage } from '../protocol/message.ts';
import type { StateInput, StateOf } from '../protocol/state-values.ts';
import type { ApprovalAnswer, SubmittedToolResult } from '../protocol/tool.ts';
import type { ThreadStore } from '../stores/port.ts';
import type { ToolPort } from '../tools/port.ts';
import type { Assign, ToolReply } from '../tools/result-port.ts';
import type { ToolSchema } from '../tools/schema.ts';
import type { Budget } from './budgets-of.ts';
import type { KnowledgeOption } from './knowledge.ts';

/** The policies of an agent: one list for every thread, or a list made for each run of a thread. */
export type HooksOption<Context, State = StateOf<Context>> =
  | readonly AgentHooks<Context, State>[]
  | ((thread: {
      readonly threadId: string;
      readonly context: Context;
    }) => readonly AgentHooks<Context, State>[]);

/** When and how a thread that grows too long for its model is made shorter. The messages stay in the store. */
export interface CompactionOptions {
  /**
   * Tokens of the context above which it is compacted before the next request. The context is what the provider
   * counted at the latest call, and what `countTokens` says of everything since. Leave room for an answer.
   */
  readonly maxTokens: number;
  /** About how many of the latest tokens stay as they are. A tool call stays with its result. Default: a quarter of `maxTokens`. */
  readonly keepTokens?: number;
  /** What writes the summary. Default: the agent's model. Gets none of the agent's `settings`. */
  readonly model?: ChatModel;
  /** What a summary should hold, beside what every summary does. Goes after the built-in prompt. */
  readonly instructions?: string;
  /**
   * The tokens of messages, at once; any tokenizer will do. Default: one for every four bytes of their JSON, and a
   * thousand for every file.
   */
  readonly countTokens?: (messages: readonly Message[]) => number;
  /** How long a summary may be. A text may have eight characters for each. Default: 2000, or a quarter of `maxTokens` where that is less. */
  readonly maxSummaryTokens?: number;
}

export interface AgentOptions<Context = unknown, State = StateOf<Context>> {
  /** In events and stored threads. */
  readonly name: string;
  readonly model: ChatModel;
  /**
   * The system prompt. Default: none. With a `stateSchema`, `{{field}}` and `{{field.key}}` are filled with the values of
   * the thread after the policies at `systemPrompt` have had their say; a name the schema does not have is refused here.
   */
  readonly instructions?: string;
  readonly tools?: readonly ToolPort<NoInfer<Context>, NoInfer<State>>[];
  /**
   * Parts of results that are saved in the thread's state, by the name of the tool, as in `assign` of `tool`. They come
   * after those of the tool itself: of two for one field these count. Needs `stateSchema`. Default: none.
   */
  readonly assign?: {
    readonly [toolName: string]: readonly Assign<keyof NoInfer<State> & string>[];
  };
  /** Lines that answer results, each naming its `tool`, as in `replies` of `tool`. They are tried before its own. Default: none. */
  readonly replies?: readonly ToolReply[];
  /**
   * Shows the user, at once, a line that code says itself: `announce` of a tool, one of `replies`, `goodbye`. Called after
   * the line has passed its policies and is stored. What it returns is waited for only where a tool has `announceWait`: a
   * promise then means that the line was shown. Where it throws or rejects, nothing but `error.raised` (`line-failed`)
   * comes of it. A subagent's announcements come here too, unless it has its own. Default: lines are in events only.
   */
  readonly onLine?: (line: SpokenLine) => unknown;
  /** Milliseconds a tool with `announceWait` waits for `onLine` at most. Then it runs. Default: 30000. */
  readonly lineWaitMs?: number;
  /** The language in which lines say dates and times, as a tag such as `es` or `en-GB`. Default: `en`. */
  readonly language?: string;
  /**
   * The user's time zone, such as `Europe/Madrid`: lines say date-times in it, and call near days `tomorrow` and the like.
   * Default: none; dates are said in full, and date-times as they are written.
   */
  readonly timeZone?: string;
  /**
   * Where the agent looks things up. Adds the tool `search_knowledge`, which policies see as any other, at
   * `onKnowledgeQuery` and at `onKnowledgeResults`. Default: none.
   */
  readonly knowledge?: KnowledgeOption;
  /** Asked in this order, at every point they implement. Copied here: a later change of the list has no effect. */
  readonly hooks?: HooksOption<Context, NoInfer<State>>;
  /** Where threads live. Default: in this process's memory. */
  readonly store?: ThreadStore;
  /** Settings of every call. What a policy sets for one call goes over them. */
  readonly settings?: ModelSettings;
  /** Default: 50 steps a turn, nothing else. */
  readonly limits?: Limits;
  /**
   * What runs may spend together over threads and processes, such as those of one tenant in a day. They hold in subagents
   * too. Counted in `counters`. Default: none.
   */
  readonly budgets?: readonly Budget<NoInfer<Context>>[];
  /**
   * What models cost, for `cost` in results and events, and for limits of it. What a thread has used without prices counts at
   * the price of the agent's model once there are some, or as a call without one. Default: none, and nothing is counted.
   */
  readonly prices?: Prices;
  /**
   * What a call of a model without a price means for a limit of cost: it is reached (`stop`), as nobody knows what
   * was spent, or the call counts as free. Default: `stop`.
   */
  readonly unpriced?: 'stop' | 'free';
  /** How many responses in a row may be rejected before the run ends; the last of them ends it. Default: 8. */
  readonly maxResponseRetries?: number;
  /**
   * How many answers of a turn that do not fit the `output` of its run may be asked for again; each is a rejected
   * response too. Default: 2, three calls in all. Then the run ends with an `OutputError`.
   */
  readonly outputRetries?: number;
  /** What the model is told for one call each, in this order. Default: nothing. */
  readonly notes?: readonly Note[];
  /** What ends a streak besides an accepted response. Default `accept`: nothing. */
  readonly resetStreakOn?: 'accept' | 'user-message';
  /**
   * When pieces of an answer (`llm.delta`) leave `stream`. `hold`: never; what was judged is in `message.outgoing`.
   * `window`: text, as far as every policy at `onTextWindow` has let it go, the rest once `onLlmResponse` has passed;
   * without such a policy like `hold`. `live`: every piece at once. What left and does not count in the end is taken
   * back by `text.retracted`. Default: `hold` when a policy could take text back, else `live`.
   */
  readonly streaming?: 'hold' | 'window' | 'live';
  /**
   * Default: the history is never compacted, and a request that is too long for the provider ends the turn `failed`.
   * With it, such a request is made shorter and sent again, at most twice in a row.
   */
  readonly compaction?: CompactionOptions;
  /** What the user is shown in the place of what was withheld. Placeholders are filled as in `instructions`. */
  readonly fallbacks?: { readonly [cause in FallbackCause]?: string };
  /**
   * Whether the audit keeps the text of a message that `onUserMessage` or `onOutgoingMessage` refused, in an event
   * marked `discarded` that no stream gets. Default: true. A policy at `preLlmRequest` leaves nothing either way.
   */
  readonly keepDiscarded?: boolean;
  /** `voice` gives deciding points 500 ms in place of 5 s. */
  readonly hookTimeouts?: 'default' | 'voice';
  /**
   * What becomes of a message, an answer or a further step for a thread that is busy. `reject`: a `ThreadBusyError`.
   * `queue`: it waits for those before it, in the order they came; its `signal` gives it up (`cancelled`, nothing is
   * stored). `interrupt`: a message also cancels what of this agent is under way or waits, answers and steps included,
   * each as soon as what its user said is stored; a run of another agent or process is waited for, never interrupted. A tool must not wait
   * for a message to its own thread: neither would ever end. Default: `reject`.
   */
  readonly onBusy?: 'reject' | 'queue' | 'interrupt';
  /**
   * The typed state of a thread: a zod object whose fields are all optional or have a default, and hold plain JSON.
   * Policies read it in `ctx.state`, tools read and write it in `ctx.state`, `run({ state })` sets it. Stored in the
   * thread as it is, so a secret in it is as safe as the store. Default: none.
   */
  readonly stateSchema?: ToolSchema<unknown, State>;
  /**
   * Bytes of one output of a tool that the model reads, in UTF-8 and from 1024; `Infinity` for no limit. Every further
   * step sends it again. What is longer is cut as `tool({ maxOutputBytes })` says, which goes before this. Default: 65536,
   * some 16 thousand tokens.
   */
  readonly maxOutputBytes?: number;
  /** How many calls of one batch run at the same time. Default: 8. */
  readonly maxParallelTools?: number;
  /**
   * How many tools of this agent run at a time in this process, those of all its runs together; other calls wait, as for
   * `tool({ maxConcurrent })`; one with both limits is given both slots at once. Calls of subagents and of the host take none. Default: no limit.
   */
  readonly maxConcurrentTools?: number;
  /** Milliseconds a `once` tool may go on after a cancel before its outcome counts as unknown. Default: 2000. */
  readonly cancelGraceMs?: number;
  /** Milliseconds from 100 that a claim lasts without a sign of life; renewed while a run goes on. Default: 30000. */
  readonly leaseMs?: number;
  /** For limits over threads and processes. Default: those of the store, which are shared by all who use it; counts of this process where it has none. */
  readonly counters?: Counters;
}

/** Who speaks, over what, and what the app knows of it. Policies read it in `ctx`. */
export type RunContext<Context> = AppContext<Context> & RunFactsInput;

/**
 * The app's own value. Policies and tools get it as it is; it is never stored, frozen or copied. Has to be there
 * when a policy or a tool of the agent needs one.
 */
type AppContext<Context> = undefined extends Context
  ? { readonly context?: Context }
  : { readonly context: Context };

interface RunFactsInput {
  /** Copied, as the next two are: what the caller changes afterwards, nobody sees. */
  readonly sender?: JsonValue;
  readonly channel?: JsonValue;
  readonly session?: JsonValue;
  /** Ends the run `cancelled`. */
  readonly signal?: AbortSignal;
}

/** What the final answer has to fit. */
interface OutputOption<Schema extends ToolSchema> {
  /**
   * An object schema of zod 4, or of another library that gives JSON Schema the standard way. The turn ends with an
   * answer that fits it, as `output` of the result. A turn that was begun with one needs it again from whoever goes on
   * with it, in `runStep` and `resume`; another schema takes the place of the first. Default: a text.
   */
  readonly output?: Schema;
}

export type RunInput<
  Context,
  State = StateOf<Context>,
  Schema extends ToolSchema = never,
> = RunContext<Context> &
  OutputOption<Schema> & {
    /** Default: a new thread with an id of its own. */
    readonly threadId?: string;
    readonly message: string | UserMessage;
    /** Answers every open approval of the thread "not approved" first. Default: `PendingApprovalError`. */
    readonly supersede?: boolean;
    /**
     * Values for fields of the state, checked before anything runs. They hold from the start of the turn, and whatever
     * becomes of it. Fields left out, or `undefined`, keep what they have.
     */
    readonly state?: StateInput<State>;
  };

export type StepInput<
  Context,
  State = StateOf<Context>,
  Schema extends ToolSchema = never,
> = RunContext<Context> &
  OutputOption<Schema> & {
    readonly threadId: string;
    /** Begins a turn; without it the open turn goes on. */
    readonly message?: string | UserMessage;
    readonly supersede?: boolean;
    /** As in `run`; only together with a message. */
    readonly state?: StateInput<State>;
  };

/** What tools that run outside of the loop gave. */
export type SubmitInput<Context, Schema extends ToolSchema = never> = RunContext<Context> &
  OutputOption<Schema> & {
    readonly threadId: string;
    /** One for every call that waits, in any order. */
    readonly results: readonly SubmittedToolResult[];
  };

export type ResumeInput<Context, Schema extends ToolSchema = never> = RunContext<Context> &
  OutputOption<Schema> & {
    readonly threadId: string;
    /** Default: none. What expired then counts as not approved, and a turn left by an ended process goes on. */
    readonly answers?: readonly ApprovalAnswer[];
  };
