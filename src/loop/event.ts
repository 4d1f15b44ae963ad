import type { ToolVerdict } from '../decisions/fold.ts';
import type { ErrorVerdict } from '../decisions/fold-errors.ts';
import type { AgentHooksError } from '../errors/base.ts';
import type { BudgetError } from '../errors/budget-error.ts';
import type { CompactionError } from '../errors/compaction-error.ts';
import type { ChainVerdict, HookFailed } from '../hooks/gate.ts';
import type { ChatRequest, ChatResponse, Usage } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { UserMessage } from '../protocol/message.ts';
import type { IncomingText, OutgoingText, TurnStart } from '../protocol/texts.ts';
import type { ApprovalAnswer } from '../protocol/tool.ts';
import type { AnnouncedCalls, SaidLine } from './after-call-state.ts';
import type { CompactionCause, Cut, Measured, Summary } from './compaction-state.ts';
import type { HandedCall, SubmittedResult } from './host-state.ts';
import type { CountedChild } from './spent-state.ts';
import type { BatchCall, FinishedCall } from './state.ts';
import type { LateCalls } from './tell-late.ts';

/**
 * What happened, as the loop is told. The clock and ids come in here: `step` has none of its own. `at` is
 * milliseconds since the epoch, for people; `tick` never goes back within one run, for limits.
 */
export type LoopEvent =
  | {
      readonly type: 'turn.requested';
      readonly message: UserMessage;
      /** Values of the thread's state that came with it, checked. */
      readonly values?: JsonObject;
      readonly messageCount: number;
      readonly tick: number;
      /** Answers every open approval "not approved". */
      readonly supersede: boolean;
      /** The JSON Schema that the final answer has to fit. */
      readonly output?: JsonObject;
    }
  /** A stored turn is picked up where its state says it is. An `output` takes the place of the one it has. */
  | { readonly type: 'turn.resumed'; readonly tick: number; readonly output?: JsonObject }
  | { readonly type: 'turn.cancelled'; readonly usage?: Usage }
  | {
      readonly type: 'opening.judged';
      readonly turn: ChainVerdict<TurnStart>;
      readonly message?: ChainVerdict<IncomingText>;
    }
  | {
      readonly type: 'request.judged';
      readonly verdict: ChainVerdict<ChatRequest>;
      readonly model: string;
      /** Set where calls have gone on after their turns. */
      readonly late?: LateCalls;
    }
  | {
      readonly type: 'model.responded';
      readonly response: ChatResponse;
      /** What the provider counted; only where somebody goes by it. */
      readonly measured?: Measured;
    }
  | {
      readonly type: 'model.failed';
      readonly error: AgentHooksError;
      readonly refused: boolean;
      readonly usage?: Usage;
      readonly tick: number;
    }
  /** The context has to be made shorter before the request of the step is built. */
  | { readonly type: 'context.full'; readonly cause: CompactionCause }
  /** The request for a summary has passed. `request` where a policy changed it. */
  | {
      readonly type: 'summary.requested';
      readonly cut: Cut;
      readonly model: string;
      readonly request?: ChatRequest;
    }
  | { readonly type: 'summary.responded'; readonly response: ChatResponse }
  /** It has passed, and is shorter than what it stands for. `by`: the policy that made it. */
  | {
      readonly type: 'summary.given';
      readonly summary: Summary;
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      readonly by?: string;
      /** There is more to cut than could be read at once. */
      readonly isPart?: true;
      readonly tick: number;
    }
  | {
      readonly type: 'summary.failed';
      readonly error: CompactionError;
      readonly usage?: Usage;
      readonly tick: number;
    }
  | {
      readonly type: 'response.judged';
      readonly verdict: ChainVerdict<ChatResponse>;
      /** Where the verdict is from. */
      readonly point: ResponsePoint;
      readonly tick: number;
    }
  /** A policy ended an answer while its text grew; what that cost is not known. `usage`: of attempts before it. */
  | {
      readonly type: 'text.stopped';
      readonly verdict: TextVerdict;
      readonly usage: Usage;
    }
  /** A policy around the call put another request in place, and that one was refused. */
  | {
      readonly type: 'call.refused';
      readonly verdict: Extract<ChainVerdict<ChatRequest>, { readonly type: 'block' }>;
      readonly usage: Usage;
    }
  /** A budget does not let the model be called, or called again. `usage`: of what was called before that. */
  | { readonly type: 'budget.refused'; readonly error: BudgetError; readonly usage: Usage }
  /** The calls of a response that has some of listen tools: read, with what they are held against. */
  | {
      readonly type: 'batch.read';
      readonly calls: readonly BatchCall[];
      readonly shown?: true;
    }
  /** Every operation of the batch is ready, or its call is refused. */
  | {
      readonly type: 'operations.prepared';
      readonly calls: readonly BatchCall[];
      readonly cancelled: boolean;
    }
  | {
      readonly type: 'batch.judged';
      readonly calls: readonly JudgedCall[];
      /** True when text beside the calls was shown live. */
      readonly shown?: true;
      readonly failure?: HookFailed;
      readonly at: number;
      readonly tick: number;
    }
  | {
      readonly type: 'outgoing.judged';
      /** A retry is the engine's own: the text does not fit the output schema. */
      readonly verdict: ChainVerdict<OutgoingText>;
      readonly point: 'onOutgoingMessage' | 'onTextWindow';
      readonly tick: number;
    }
  | {
      readonly type: 'tools.finished';
      readonly results: readonly FinishedCall[];
      /** What each subagent of the batch has used so far; absent without one. */
      readonly children?: readonly CountedChild[];
      /** Absent where nothing was announced. */
      readonly announced?: AnnouncedCalls;
      /** Lines that answer the batch in the place of the model. */
      readonly said?: readonly SaidLine[];
      /** True when a subagent waits for a person. */
      readonly waits?: true;
      /** The calls that the host has to run, where nothing else of the batch is open. */
      readonly handed?: readonly HandedCall[];
      readonly cancelled: boolean;
      /** The values of the thread's state, where the calls changed them. */
      readonly values?: JsonObject;
      readonly tick: number;
    }
  /** One for every call that was handed out. */
  | {
      readonly type: 'tools.submitted';
      readonly results: readonly SubmittedResult[];
      readonly tick: number;
      readonly output?: JsonObject;
    }
  /** `error` is the one that the verdict is about. */
  | {
      readonly type: 'error.judged';
      readonly verdict: ErrorVerdict;
      readonly error: AgentHooksError;
      readonly tick: number;
    }
  | { readonly type: 'thread.ended'; readonly reason: string }
  | {
      readonly type: 'approvals.answered';
      readonly answers: readonly ApprovalAnswer[];
      readonly at: number;
      readonly tick: number;
      readonly output?: JsonObject;
    }
  | { readonly type: 'committed'; readonly messageCount: number }
  | { readonly type: 'commit.failed'; readonly error: AgentHooksError };

/** Where a whole response is judged. At `output` it is the engine that asks for another. */
export type ResponsePoint = 'onTextWindow' | 'onLlmResponse' | 'output';

/** What drops a response. */
export type TextVerdict =
  | { readonly type: 'block'; readonly policy: string; readonly reason: string }
  | HookFailed;

/** A call with what the chain said of it. `approvalId` is minted for one that has to be confirmed. */
export interface JudgedCall {
  readonly call: BatchCall;
  readonly verdict: ToolVerdict;
  readonly approvalId?: string;
  readonly tierHint?: string;
}
