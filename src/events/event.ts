import type { FinishReason, Usage } from '../protocol/chat.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ToolOutcome } from '../protocol/message.ts';
import type { Purpose } from '../protocol/texts.ts';

/** Where and when an event belongs. `seq` never restarts on a thread; an unstored event repeats that of the stored one before it. */
export interface EventStamp {
  readonly threadId: string;
  readonly turnId: string;
  readonly step: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly seq: number;
  /** The agents this event rose through; absent for the agent itself. */
  readonly agentPath?: readonly string[];
}

/** How a turn, or one call of `run`, ended. */
export type TurnStatus = 'completed' | 'blocked' | 'limited' | 'refused' | 'cancelled' | 'failed';

export type FallbackCause =
  | 'user-message'
  | 'request'
  | 'response'
  | 'outgoing'
  | 'hook-failure'
  | 'error'
  | 'limit';

/** Who had a tool run: the model, by a call, or an event of the host, which no agent does yet. */
export type ToolSource = 'model' | 'event';

/** What happened, without its stamp. Names are noun.verb; nothing here is content before its verdict. */
export type EventBody =
  // turn
  | { readonly type: 'turn.started'; readonly isFirst: boolean }
  | {
      readonly type: 'turn.finished';
      readonly status: TurnStatus;
      readonly steps: number;
      readonly usage: Usage;
      readonly cost?: number;
    }
  | { readonly type: 'step.started' }
  | {
      readonly type: 'step.finished';
      readonly outcome: 'accepted' | 'rejected' | 'ended';
    }
  // texts
  | { readonly type: 'message.user'; readonly text: string; readonly discarded?: true }
  | {
      readonly type: 'message.outgoing';
      readonly text: string;
      readonly isFinal: boolean;
      readonly discarded?: true;
      readonly fallback?: FallbackCause;
    }
  // model
  | {
      readonly type: 'llm.requested';
      readonly model: string;
      readonly purpose: Purpose;
      readonly attempt: number;
    }
  | {
      readonly type: 'llm.delta';
      readonly kind: 'text' | 'reasoning' | 'tool-input';
      readonly text: string;
      /** Of which call: the provider's id of it. With `tool-input` only; the arguments of several calls may come in turns. */
      readonly providerCallId?: string;
      readonly toolName?: string;
    }
  | {
      readonly type: 'llm.responded';
      /** Absent for `main`. */
      readonly purpose?: Purpose;
      readonly responseId: string;
      readonly model: string;
      readonly finishReason: FinishReason;
      readonly toolCalls: number;
      readonly usage: Usage;
      readonly cost?: number;
      readonly latencyMs: number;
    }
  | {
      readonly type: 'llm.rejected';
      readonly by: string;
      readonly point: string;
      readonly streak: number;
      readonly usage: Usage;
    }
  | {
      readonly type: 'llm.retrying';
      readonly reason: string;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly type: 'text.retracted'; readonly by: string; readonly point: string }
  // tools
  | {
      readonly type: 'tool.called';
      readonly callId: string;
      readonly toolName: string;
      /** What the model asked for; what ran is in the history. */
      readonly requestedInput: JsonValue;
    }
  | {
      readonly type: 'tool.started';
      readonly callId: string;
      readonly toolName: string;
      readonly source: ToolSource;
    }
  | {
      readonly type: 'tool.progress';
      readonly callId: string;
      readonly toolName: string;
      readonly data: JsonValue;
    }
  | {
      readonly type: 'tool.succeeded';
      readonly callId: string;
      readonly toolName: string;
      readonly source: ToolSource;
      readonly durationMs: number;
      /** True for what the precheck of the tool gave: the tool itself did not run. */
      readonly prechecked?: true;
    }
  | {
      readonly type: 'tool.failed';
      readonly callId: string;
      readonly toolName: string;
      readonly source: ToolSource;
      readonly durationMs: number;
      readonly outcome: ToolOutcome;
      /**
       * Why, without a value of the call: the `eventText` of a `ToolError`, or the class of another error. Always there
       * with the outcome `unknown`. Absent where the outcome says all there is, as `cancelled` does.
       */
      readonly reason?: string;
      /** As above. */
      readonly prechecked?: true;
    }
  | {
      readonly type: 'tool.refused';
      readonly callId: string;
      readonly toolName: string;
      readonly source: ToolSource;
      readonly outcome: ToolOutcome;
      readonly by: string;
      readonly reason: string;
    }
  | {
      readonly type: 'tool.replied';
      readonly callId: string;
      readonly toolName: string;
      readonly source: ToolSource;
    }
  | {
      readonly type: 'tool.save-refused';
      readonly callId: string;
      readonly toolName: string;
      readonly source: ToolSource;
      /** The field of the state that refused its part. Nothing of the result was saved. */
      readonly field: string;
      /** Why, without a value. */
      readonly reason: string;
    }
  // approvals
  | {
      readonly type: 'approval.requested';
      readonly approvalId: string;
      readonly callId: string;
      readonly toolName: string;
      readonly prompts: readonly string[];
    }
  | {
      readonly type: 'approval.answered';
      readonly approvalId: string;
      readonly callId: string;
      readonly approved: boolean;
      readonly by: string;
      readonly reason?: string;
      readonly edited: boolean;
      /** How many more people have to say yes; absent where this answer was enough, or was no. */
      readonly needed?: number;
    }
  | { readonly type: 'approval.expired'; readonly approvalId: string; readonly callId: string }
  // knowledge
  | {
      readonly type: 'knowledge.queried';
      readonly callId: string;
      /** What the index was asked: what the model asked for is in `tool.called`. */
      readonly query: string;
    }
  | {
      readonly type: 'knowledge.found';
      readonly callId: string;
      /** How many of them the model reads. */
      readonly passages: number;
    }
  // policies
  | {
      readonly type: 'hook.decided';
      readonly policy: string;
      readonly version?: string;
      readonly point: string;
      /**
       * The `type` of the decision, also of one that changes nothing (`proceed`, `abstain`, `accept`). A policy that returns
       * nothing leaves no such event; one on trial leaves `none`.
       */
      readonly decision: string;
      /** The reason of a Block or the prompt of a confirmation; feedback and rewrites are never recorded. */
      readonly reason?: string;
      readonly callId?: string;
      readonly toolName?: string;
      readonly recheck?: true;
      /** True when the policy is only on trial: nothing of it was enforced. */
      readonly shadow?: true;
      /** Rounded to the microsecond. */
      readonly durationMs: number;
      /** HMAC of what was judged, under a key of the thread. Absent where nothing keeps or hears it. */
      readonly digest?: string;
    }
  | {
      readonly type: 'hook.failed';
      readonly policy: string;
      readonly version?: string;
      readonly point: string;
      readonly kind: string;
      readonly errorName?: string;
      readonly callId?: string;
      readonly toolName?: string;
      /** True when the failure was let through because the point is open for this policy. */
      readonly open: boolean;
      /** True when the policy is only on trial: its failure ended nothing, whatever `open` says. */
      readonly shadow?: true;
      /** True when the answer came after its time limit and was dropped. */
      readonly late?: true;
    }
  // the rest
  | {
      readonly type: 'context.compacted';
      /** How many messages the model would have read, and how many it reads now, the summary included. */
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      /** The policy that made the summary; absent for the built-in one. */
      readonly by?: string;
      /** `overflow`: the provider had refused a request as too long. */
      readonly cause: 'budget' | 'overflow';
    }
  | { readonly type: 'state.changed'; readonly fields: readonly string[] }
  | {
      readonly type: 'line.said';
      readonly kind: 'announce' | 'reply' | 'goodbye';
      readonly callId: string;
      readonly toolName: string;
      readonly text: string;
    }
  | {
      readonly type: 'error.raised';
      readonly code: string;
      readonly name: string;
      readonly details?: JsonObject;
    }
  | { readonly type: 'thread.ended'; readonly reason: string };

/** Everything an observer or a stream can see. One union; switch on `type`. */
export type AgentEvent = EventStamp & EventBody;
export type EventType = EventBody['type'];
export type EventOf<Type extends EventType> = Extract<EventBody, { readonly type: Type }> &
  EventStamp;
