import type { Usage } from '../protocol/chat.ts';

/** What calls have used, and what that cost; `cost` only for an agent with prices. */
export interface Spent {
  readonly usage: Usage;
  readonly cost?: number;
  /** Set when a call had no price: `cost` is what the others cost. */
  readonly unpriced?: true;
}

/** What a subagent has used for one call, those below it included. */
export interface ChildSpent extends Spent {
  readonly steps: number;
}

/** How much of what a subagent has used for a call its caller's turn and thread have counted. */
export interface CountedChild extends ChildSpent {
  readonly callId: string;
}

export interface Totals extends Spent {
  readonly steps: number;
  /** Milliseconds of activity in all earlier runs of the thread. */
  readonly activeMs?: number;
}
