import type { JsonValue } from '../protocol/json.ts';
import { type Block, block, type RetryWithFeedback, retryWithFeedback } from './shared-moves.ts';

export interface Accept {
  readonly type: 'accept';
}

/** A call as a rewrite may give it. One without a `callId` of the response is new and gets an id of its own. */
export interface RewrittenCall {
  readonly callId?: string;
  readonly toolName: string;
  readonly input: JsonValue;
}

/**
 * The fields of a response a policy may change. One left out stays. A whole `ChatResponse` fits too, so
 * `{ ...response, text }` works; fields other than these three are then ignored.
 */
export interface RewrittenResponse {
  readonly text?: string;
  /** What the model thought; `''` takes it out, and with it what a provider wants back beside tool calls. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly RewrittenCall[];
}

export interface ModifyResponse {
  readonly type: 'modify';
  readonly response: RewrittenResponse;
}

/** What a policy may say to a whole response, before it is stored, shown or acted on. */
export type ResponseDecision = Accept | ModifyResponse | Block | RetryWithFeedback;

const ACCEPT: Accept = Object.freeze({ type: 'accept' });

export const ResponseDecision: {
  readonly accept: () => Accept;
  /** What is stored, shown and run is the rewritten response. A changed text drops the reasoning beside it. */
  readonly modify: (response: RewrittenResponse) => ModifyResponse;
  /** The response is dropped and the turn ends `blocked`. */
  readonly block: (reason: string) => Block;
  /** The response is dropped and the model asked again; counts on the streak that `maxResponseRetries` caps. */
  readonly retryWithFeedback: (feedback: string) => RetryWithFeedback;
} = Object.freeze({
  accept: () => ACCEPT,
  modify: (response: RewrittenResponse): ModifyResponse =>
    Object.freeze({ type: 'modify', response: pickResponse(response) }),
  block,
  retryWithFeedback,
});

function pickResponse(response: RewrittenResponse): RewrittenResponse {
  return Object.freeze({
    ...(response.text !== undefined && { text: response.text }),
    ...(response.reasoning !== undefined && { reasoning: response.reasoning }),
    ...(response.toolCalls !== undefined && { toolCalls: response.toolCalls.map(pickCall) }),
  });
}

function pickCall(call: RewrittenCall): RewrittenCall {
  const { callId, toolName, input } = call;
  return Object.freeze({ toolName, input, ...(callId !== undefined && { callId }) });
}
