import type { BackgroundCall } from './background-state.ts';
/** What code made of the result of a call that worked, before any policy changed it. JSON. */
export interface AfterCall {
  /**
   * Set when the call ends the conversation. `text`: what the user was told in the answer that made it; `goodbye`: what
   * is to be said where that was nothing.
   */
  readonly ends?: { readonly text: string; readonly goodbye?: string };
  /** Why nothing of the result was saved, without a value. */
  readonly saveRefused?: { readonly field: string; readonly reason: string };
  /** The line that would answer the result. Said only where it can be the answer to the whole batch. */
  readonly reply?: PickedLine;
}

/** A line, filled, and the count that says whose turn is next, where several take turns. */
export interface PickedLine {
  readonly text: string;
  readonly slot?: string;
  /** Those whose turn is after it: for further calls of the same batch. */
  readonly further?: readonly string[];
}

/** A line that has passed its policies. */
export interface SaidLine extends Omit<PickedLine, 'further'> {
  readonly kind: 'reply' | 'goodbye';
  readonly callId: string;
  readonly toolName: string;
}

/** How far a call is whose tool has something said before it runs. Its start is told of with the line. */
export interface AnnounceMark {
  readonly announce?: 'due' | 'done' | 'refused';
}

/** What was announced while a batch ran: how far its calls are, and the counts of lines where they have changed. */
export interface AnnouncedCalls {
  readonly calls: { readonly [callId: string]: 'done' | 'refused' };
  readonly lines?: ThreadMarks['lines'];
}

export interface CallMarks {
  readonly after?: AfterCall;
}

export interface TurnMarks {
  /** The tool that has ended the conversation. */
  readonly endedBy?: string;
}

export interface ThreadMarks {
  /** The calls that go on after their turn; absent for none. */
  readonly background?: readonly BackgroundCall[];
  /** How often lines that take turns were said, by what they belong to. */
  readonly lines?: { readonly [slot: string]: number };
}
