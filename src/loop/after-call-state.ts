/** What code made of the result of a call that worked, before any policy changed it. JSON. */
export interface AfterCall {
  /** Set when the call ends the conversation. `text`: what the user was told in the answer that made it. */
  readonly ends?: { readonly text: string };
  /** Why nothing of the result was saved, without a value. */
  readonly saveRefused?: { readonly field: string; readonly reason: string };
}

export interface CallMarks {
  readonly after?: AfterCall;
}

export interface TurnMarks {
  /** The tool that has ended the conversation. */
  readonly endedBy?: string;
}
