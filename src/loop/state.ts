import type { ErrorInfo } from '../errors/base.ts';
import type { FallbackCause } from '../events/event.ts';
import type { Approval } from '../protocol/approval.ts';
import type { Artifact } from '../protocol/artifact.ts';
import type { ChatRequest, ChatResponse, Usage } from '../protocol/chat.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { AssistantPart, Message, ToolOutcome, UserMessage } from '../protocol/message.ts';
import type { CancelReason } from '../protocol/operation.ts';
import type { SideEffects, ToolResult, ToolTier } from '../protocol/tool.ts';
import type {
  AnnounceMark,
  CallMarks,
  SaidLine,
  ThreadMarks,
  TurnMarks,
} from './after-call-state.ts';
import type { GuardMarks } from './call-lock-state.ts';
import type {
  CompactionCause,
  CompactionStage,
  InterruptedStep,
  Measured,
  Summary,
} from './compaction-state.ts';
import type { HandedCall, SubmittedResult } from './host-state.ts';
import type { ListenMarks } from './operation-state.ts';
import type { Outcome } from './outcome.ts';
import type { CountedChild, Spent, Totals } from './spent-state.ts';

/*
 * Invariants of the loop. Each is cited where it bites, and each has a test of its name.
 *
 * L1  A state never holds the history: its size does not grow with the thread.
 * L2  Every phase names the one effect it waits for (`pending`), so any process can pick a stored state up.
 * L3  Nothing of a batch runs before every call of it has been decided.
 * L4  Every tool call that enters the history has exactly one result there.
 * L5  The streak is committed before the next paid call, and resets only on a response whose batch survived.
 * L6  One `turn.finished` for every `turn.started`.
 * L7  Feedback is in a stored state until its first delivery, and in nothing else that is kept.
 * L8  No paid call and no `once` tool starts before the store knows that it may have.
 * L9  A recovery is committed before the next paid call, and there are never more in a row than the cap.
 * L10 A summary stands for the first messages of a thread: the model reads it in their place, and the store keeps
 *     them. Positions are those of the whole thread. It counts once it has passed its policies and is shorter than
 *     what it stands for; whatever fails or ends before that leaves the context as it was, and what it cost counts.
 * L11 A call to a subagent has one child thread, named by the call and run by nothing else. Its result is that child's
 *     stored end, told and counted once; no child outlives its call.
 * L12 An operation that was prepared is carried out at most once, by the call that prepared it and at the revision that
 *     was judged, and approved where somebody was asked; or it is cancelled. Its name is stored before it is judged:
 *     whatever ends the turn, in whatever process, cancels what was prepared and not carried out.
 * L13 Under a budget no model is called before what the call may cost was reserved, and what it has cost takes the place
 *     of that once: as soon as it is known, and never less than is known. Where it is not known, what was reserved stays.
 */

/** What is stored of a thread, beside its messages and events. JSON. */
export interface ThreadState extends ThreadMarks {
  readonly format: 1;
  readonly threadId: string;
  readonly agent: string;
  /** The secret under which this thread's digests are made; gone when the thread is. */
  readonly digestKey: string;
  /** The number of the latest turn; turns count from 1. */
  readonly turn: number;
  readonly streak: Streak;
  /** How often in a row `onError` has recovered a model call; absent for never. Over when the streak is. */
  readonly recoveries?: number;
  /** How often in a row a request was too long for the provider; absent for never. Over when the streak is. */
  readonly overflows?: number;
  readonly summary?: Summary;
  /** What the provider counted last: the tokens of a context, and how many messages of the thread were in it. */
  readonly measured?: Measured;
  readonly totals: Totals;
  /** What has been set of the thread's state, by field, with what other schemas left. Without defaults. */
  readonly values?: JsonObject;
  readonly phase: Phase;
  /** Set for the thread of a subagent: the call it is run for. */
  readonly parent?: ParentCall;
  /** The digest of the history as far as it has been made, to go on from. */
  readonly historyDigest?: { readonly count: number; readonly head: string };
}

/** The call that a subagent's thread is run for. */
export interface ParentCall {
  readonly threadId: string;
  readonly callId: string;
  /** The thread of the outermost agent, on which answers are given. */
  readonly topThreadId: string;
  /** The agents above, outermost first. */
  readonly agentPath: readonly string[];
}

/** Consecutive rejections, and who made the last. */
interface Streak {
  readonly count: number;
  readonly policy: string;
  readonly point: string;
}

export interface OpenTurn extends Spent, TurnMarks {
  readonly turnId: string;
  readonly isFirst: boolean;
  /** The current step, from 1; 0 before the first. */
  readonly step: number;
  /** Set while the current step has ended and the next one has not begun. */
  readonly between?: true;
  /** How many messages the thread had when the turn began. */
  readonly firstMessage: number;
  /** Active milliseconds before the latest start or resume; suspension does not count. */
  readonly activeMs: number;
  /** The tick at which the turn was last started or resumed; means nothing in another process. */
  readonly activeSince: number;
  /** The input digests of calls that a person refused in this turn. */
  readonly denied?: readonly string[];
  /** How many answers in a row held nothing but calls that cannot be made. */
  readonly unusable?: number;
  /** Set when a compaction has failed in this turn; it is not tried again before an overflow, or the next turn. */
  readonly uncompacted?: true;
  /** Set for a turn whose final answer has to fit a schema. */
  readonly output?: OutputWish;
  /** Steps of subagents. They count for limits. */
  readonly childSteps?: number;
}

/** What a final answer has to fit: the JSON Schema that models are shown. Whoever goes on brings what checks it. */
interface OutputWish {
  readonly schema: JsonObject;
  /** How many answers of the turn did not fit; absent for none. */
  readonly misfits?: number;
}

/** One call of a batch, as far as it is decided. */
export interface BatchCall extends AnnounceMark, GuardMarks, ListenMarks {
  readonly callId: string;
  readonly providerCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly tier: ToolTier;
  readonly sideEffects: SideEffects;
  /** True when it may run beside others of its batch. */
  readonly parallel: boolean;
  /** Set for a call of a subagent. */
  readonly isChild?: true;
  /** That of the tool that was judged, if it has one. */
  readonly toolVersion?: string;
  /** Set for a call that the host runs. */
  readonly isHost?: true;
  /** Set for a call that waits for a slot: the ledger knows of its start when it has one, and not before. */
  readonly defersIntent?: true;
  readonly requestedInput: JsonValue;
  readonly effectiveInput: JsonObject;
  /** Set for calls whose input an approval or the ledger is bound to. */
  readonly inputDigest?: string;
  /** The answer of a call that will not run. */
  readonly refusal?: Refusal;
  /** Asked for and perhaps answered; the latest one. */
  readonly approval?: Approval;
  /** Every wish for an approval that answers have met for this very `effectiveInput`. */
  readonly granted?: readonly Grant[];
}

/** A call whose operation is not to be carried out. */
export interface LetGo {
  readonly call: BatchCall;
  readonly reason: CancelReason;
}

/** One policy's wish, and who met it. */
export interface Grant {
  readonly policy: string;
  readonly version?: string;
  readonly by: string;
}

export interface Refusal {
  readonly outcome: ToolOutcome;
  readonly by: string;
  readonly reason: string;
  /** True where the arguments are not those of the tool: the model reads it as a refusal. */
  readonly refused?: true;
  /** The required arguments that are absent or blank. */
  readonly missing?: readonly string[];
  /** What the model reads, where that is not the reason. */
  readonly output?: JsonValue;
}

/** The batch of one response. Lives in the state until it runs, not in the history. */
export interface Batch {
  readonly content: readonly AssistantPart[];
  readonly text: string;
  readonly calls: readonly BatchCall[];
  /** True when text of it was shown live before it was judged. */
  readonly shown?: true;
  /** How often it has waited for a person. */
  readonly pauses: number;
  /** How often its operations were prepared anew because a policy had changed an input; absent for never. */
  readonly rounds?: number;
}

export interface FinishedCall extends CallMarks {
  readonly callId: string;
  readonly result: ToolResult;
  /** What the model reads, where that is not the whole result: this enters the history in its place. */
  readonly shown?: ToolResult;
  /** All of what the model would have read, where that was cut. Kept aside by the commit that brings `shown` into the history. */
  readonly artifact?: Artifact;
  /** What events may tell of a failure. */
  readonly reason?: string;
  /** What the ledger keeps, where that is not the result: nothing ran, and a policy answered in its place. */
  readonly recorded?: ToolResult;
  readonly durationMs: number;
  /** False for one that an earlier process ran, or that never started. */
  readonly started: boolean;
  /** Set when its end is in the record: the batch went on waiting for a subagent. */
  readonly told?: true;
}

/** What the ledger is told of one `once` call: that it may start, or how it ended. */
export interface LedgerNote {
  readonly callId: string;
  readonly inputDigest: string;
  readonly result?: ToolResult;
}

/** How a turn is to end when the policies have been told why: what is shown, and what its last commit writes. */
export interface Ending {
  readonly outcome: Outcome;
  readonly fallback?: FallbackCause;
  readonly rejected?: true;
  readonly messages: readonly Message[];
  readonly approvals: readonly Approval[];
  readonly ledger: readonly LedgerNote[];
  readonly artifacts?: readonly Artifact[];
}

/**
 * What the policies are asked about, or only told of: then the turn ends whatever they say. The feedback of `note`
 * has reached nobody, and goes into the next request.
 */
export type Failure =
  | { readonly kind: 'told'; readonly error: ErrorInfo; readonly ending: Ending }
  | {
      readonly kind: 'model';
      readonly attempt: number;
      readonly error: ErrorInfo;
      readonly note?: string;
    }
  | {
      readonly kind: 'tools';
      readonly batch: Batch;
      readonly finished: readonly FinishedCall[];
      readonly said?: readonly SaidLine[];
    };

/** Where a thread is. Each variant holds exactly what is legal there. */
export type Phase =
  | { readonly name: 'idle' }
  /** The policies are asked about the turn and the user's text. Nothing is stored. */
  | { readonly name: 'opening'; readonly turn: OpenTurn; readonly message: UserMessage }
  /**
   * The next request is built and judged. `candidate` is the user's message, not stored yet. `attempt` is how
   * many calls the store knows may have started; `armed` that the latest of them is ours and has not.
   */
  | {
      readonly name: 'requesting';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly armed: boolean;
      readonly candidate?: UserMessage;
      readonly note?: string;
      /** The provider has refused the context as too long. */
      readonly overflowed?: true;
      /** The context was looked at in this step. Never stored. */
      readonly compacted?: true;
    }
  /**
   * The context is made shorter before the request is built. `attempt` is how many calls for the summary the store
   * knows may have started, `main` what goes on then. `isLost`: the user's message was never stored.
   */
  | {
      readonly name: 'compacting';
      readonly turn: OpenTurn;
      readonly cause: CompactionCause;
      readonly attempt: number;
      readonly stage: CompactionStage;
      readonly main: InterruptedStep;
      readonly isLost?: true;
    }
  | {
      readonly name: 'calling';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly request?: ChatRequest;
      readonly note?: string;
    }
  | {
      readonly name: 'answering';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly response: ChatResponse;
    }
  | {
      readonly name: 'preflighting';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly response: ChatResponse;
    }
  /**
   * The operations of a batch are prepared, before it is judged; once they are (`prepared`), it is. `answered`: its
   * approvals have their answers, and it is judged again.
   */
  | {
      readonly name: 'preparing';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly batch: Batch;
      readonly usage: Usage;
      readonly prepared?: true;
      readonly answered?: true;
    }
  | { readonly name: 'awaiting-approval'; readonly turn: OpenTurn; readonly batch: Batch }
  /** Every approval is answered; the policies are asked again. */
  | { readonly name: 'rejudging'; readonly turn: OpenTurn; readonly batch: Batch }
  /** The text for the user is judged: the last one, or the one beside a batch. */
  | { readonly name: 'speaking'; readonly turn: OpenTurn; readonly speech: Speech }
  /** The tools run. `recovering` when an earlier process may have started them; `next` is a turn that waits. */
  | {
      readonly name: 'running';
      readonly turn: OpenTurn;
      readonly batch: Batch;
      readonly recovering: boolean;
      readonly next?: NextTurn;
      /** Calls that need no run any more. */
      readonly finished?: readonly FinishedCall[];
      readonly children?: readonly CountedChild[];
      /** What the host gave for its calls. */
      readonly submitted?: readonly SubmittedResult[];
    }
  /** The calls without a result are with the host; all others are over. */
  | {
      readonly name: 'awaiting-tools';
      readonly turn: OpenTurn;
      readonly batch: Batch;
      readonly finished: readonly FinishedCall[];
      readonly handed: readonly HandedCall[];
      readonly children?: readonly CountedChild[];
    }
  /** The calls without a result are of subagents that wait for a person. The approvals are on their threads. */
  | {
      readonly name: 'awaiting-child';
      readonly turn: OpenTurn;
      readonly batch: Batch;
      readonly finished: readonly FinishedCall[];
      readonly children: readonly CountedChild[];
    }
  /** Something has failed and is over and paid for; the policies are asked whether the turn goes on, or told why it ends. */
  | { readonly name: 'failing'; readonly turn: OpenTurn; readonly failure: Failure }
  /** The turn is settled and stored; the next one can begin. */
  | { readonly name: 'waiting'; readonly turn: OpenTurn; readonly next: NextTurn }
  /** `turn` is the one whose events are being stored: its step may be the one before that of `next`. */
  | { readonly name: 'committing'; readonly turn: OpenTurn; readonly next: Phase }
  | { readonly name: 'finished'; readonly turn: OpenTurn; readonly outcome: Outcome };

export type Speech =
  | { readonly kind: 'final'; readonly response: FinalText }
  | { readonly kind: 'beside'; readonly batch: Batch };

/** The answer that ends a turn. */
export interface FinalText
  extends Pick<ChatResponse, 'content' | 'text' | 'finishReason' | 'usage'> {
  /** True when it came as a call, so that no window has seen it as text. */
  readonly fromCall?: true;
}

/** A message that came while an earlier turn still has to be settled. */
export interface NextTurn {
  readonly message: UserMessage;
  /** Values of the thread's state that came with it. */
  readonly values?: JsonObject;
  readonly tick: number;
  /** The JSON Schema its final answer has to fit. */
  readonly output?: JsonObject;
  /** Set when it answers what is open "not approved", and so ends the turn before it as a person would. */
  readonly supersedes?: true;
}

/** The turn a phase belongs to, if one is open or just ended. */
export function turnOf(phase: Phase): OpenTurn | undefined {
  if (phase.name === 'committing') return turnOf(phase.next);
  return phase.name === 'idle' ? undefined : phase.turn;
}
