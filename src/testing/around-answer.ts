import type { HookError, HookFailureKind } from '../errors/hook-error.ts';
import type { ChatRequest, ChatStreamPart } from '../protocol/chat.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { AnswerFacts } from './answer.ts';

/** `failure` says what an agent makes of it: nothing goes through, or it goes on as if the policy were not there. */
interface Failed {
  readonly type: 'failed';
  readonly kind: HookFailureKind;
  /** `error.cause` is what the policy threw. */
  readonly error: HookError;
  readonly failure: 'closed' | 'open';
}

/** What one policy around a tool call gave. */
export type ToolWrapAnswer = AnswerFacts<'wrapToolUse'> & {
  /** What ran, in order: a call for each `next` that reached the tool, as it reached it. */
  readonly calls: readonly ToolInvocation[];
} & (
    | {
        readonly type: 'answered';
        /** What the model reads; outcome `blocked` where the policy's own `preToolUse` refused the input it put in place. */
        readonly result: ToolResult;
      }
    /** `result` is what the model reads where the point is closed: whether the call ran, and nothing of its output. */
    | (Failed & { readonly result: ToolResult })
    | { readonly type: 'cancelled' }
  );

/** What one policy around a model call gave. */
export type ModelWrapAnswer = AnswerFacts<'wrapLlmCall'> & {
  /** What the model was called with, in order: a request for each `next` that was read. */
  readonly calls: readonly ChatRequest[];
  /** What it gave, as far as it came. */
  readonly parts: readonly ChatStreamPart[];
  /** The text of these parts. */
  readonly text: string;
} & (
    | { readonly type: 'answered' }
    | Failed
    /** What the model threw, where the policy did not make up for it. */
    | { readonly type: 'model-failed'; readonly error: unknown }
    /** The policy's own `preLlmRequest` refused the request it put in place. */
    | { readonly type: 'blocked'; readonly reason: string }
    | { readonly type: 'cancelled' }
  );

/** What one policy made of a system prompt. */
export type PromptAnswer = AnswerFacts<'systemPrompt'> &
  ({ readonly type: 'answered'; readonly value: string } | Failed | { readonly type: 'cancelled' });
