import type { ChatRequest, ChatResponse } from '../protocol/chat.ts';
import type { UserMessage } from '../protocol/message.ts';

/*
 * A compaction interrupts a step before its request is built, and nothing else of the step changes. What is stored:
 *
 *   asking    nothing: the policies give a summary, or judge the request for one. No call has been made.
 *   calling   `compacting`, before the call (L8), without the message of a turn's first step, which no request has
 *             passed with. A crash leaves that: the call is made again, at most `maxAttempts` times; a turn whose
 *             message is lost ends. Three times it then counts as failed.
 *   judging   nothing more. A crash is one during the call.
 *   adopted   nothing more: the summary, the message and the intent of the main call are one commit. Whatever else
 *             ends the turn stores the summary with that.
 *   failed    nothing more: over the budget the turn is marked and its step goes on; after an overflow it ends.
 *
 * An overflow ends its step like an error that was recovered: the commit that begins the next one says that its
 * context has to be made shorter, so a host that stopped there, or another process, does that first.
 */

/** What stands for the first `upTo` messages of a thread (L10). Bounded by `maxSummaryTokens` of its agent. */
export interface Summary {
  readonly text: string;
  readonly upTo: number;
}

/** A context and its answer, as the provider counted them. `messages`: how many of the thread were in the request. */
export interface Measured {
  readonly tokens: number;
  readonly messages: number;
}

/** Over the app's own budget, or too long for the provider. */
export type CompactionCause = 'budget' | 'overflow';

/** What of `requesting` a compaction hands back. */
export interface InterruptedStep {
  /** How many main calls the store knows may have started; none is under way. */
  readonly attempt: number;
  readonly candidate?: UserMessage;
  readonly note?: string;
}

/** Only `asking` is ever stored. */
export type CompactionStage =
  | { readonly name: 'asking' }
  | { readonly name: 'calling'; readonly cut: Cut; readonly request?: ChatRequest }
  | { readonly name: 'judging'; readonly cut: Cut; readonly response: ChatResponse };

/** What a summary is made of. */
export interface Cut {
  /** How many messages of the thread the summary will stand for. */
  readonly upTo: number;
  /** What the messages it takes the place of count. */
  readonly tokens: number;
  /** There is more to cut than can be read at once. */
  readonly isPart?: true;
}
