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
import type { HookError, HookFailureKind } from '../errors/hook-error.ts';
import type { Summarize } from '../hooks/summary-chain.ts';
import type { ChatRequest, ChatResponse } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type {
  IncomingText,
  KnowledgeQuery,
  KnowledgeResults,
  OutgoingText,
  TextWindow,
  TurnStart,
} from '../protocol/texts.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';

/** What each point is asked with, may answer, and hands on. */
export interface AskTable {
  onTurnStart: { asked: [turn: TurnStart]; decision: TurnDecision; value: TurnStart };
  onUserMessage: { asked: [message: IncomingText]; decision: MessageDecision; value: IncomingText };
  preLlmRequest: { asked: [request: ChatRequest]; decision: RequestDecision; value: ChatRequest };
  onTextWindow: { asked: [window: TextWindow]; decision: WindowDecision; value: TextWindow };
  onLlmResponse: {
    asked: [response: ChatResponse];
    decision: ResponseDecision;
    value: ChatResponse;
  };
  preToolUse: {
    asked: [invocation: ToolInvocation];
    decision: ToolDecision;
    value: ToolInvocation;
  };
  postToolUse: {
    asked: [invocation: ToolInvocation, result: ToolResult];
    decision: ToolResultDecision;
    value: ToolResult;
  };
  onKnowledgeQuery: {
    asked: [query: KnowledgeQuery];
    decision: QueryDecision;
    value: KnowledgeQuery;
  };
  onKnowledgeResults: {
    asked: [results: KnowledgeResults];
    decision: ResultsDecision;
    value: KnowledgeResults;
  };
  onOutgoingMessage: {
    asked: [message: OutgoingText];
    decision: MessageDecision;
    value: OutgoingText;
  };
  /** `value` is the summary; without one, what it was asked about. */
  onContextCompact: {
    asked: [messages: readonly Message[]];
    decision: Summarize;
    value: readonly Message[] | string;
  };
  onError: { asked: [error: AgentHooksError]; decision: ErrorDecision; value: AgentHooksError };
}

/** A point that answers with a decision. */
export type AskPoint = keyof AskTable;

/** Whose answer it is, and what the policy left behind. */
export interface AnswerFacts<Point> {
  readonly policy: string;
  readonly point: Point;
  /** What the policy remembers about the thread now. */
  readonly memory: JsonObject;
}

/**
 * What one policy answered, as data. `value` is what goes on from here: a rewrite is in place, and was checked
 * as the engine checks it. A failure is no decision; `failure` says whether the point is then closed or open.
 * `cancelled`: the turn was cancelled before the policy had answered.
 */
export type PolicyAnswer<Point extends AskPoint = AskPoint> = AnswerFacts<Point> &
  (
    | {
        readonly type: 'decided';
        readonly decision: AskTable[Point]['decision'];
        readonly value: AskTable[Point]['value'];
      }
    | { readonly type: 'no-opinion'; readonly value: AskTable[Point]['value'] }
    | {
        readonly type: 'failed';
        readonly kind: HookFailureKind;
        /** `error.cause` is what the policy threw. */
        readonly error: HookError;
        readonly failure: 'closed' | 'open';
      }
    | { readonly type: 'cancelled' }
  );
