/** Moves that are legal at several points. Each point's own union says where; these are only the shapes. */
export interface Proceed {
  readonly type: 'proceed';
}

export interface Keep {
  readonly type: 'keep';
}

/** Stops what was asked about. `reason` is for people and the audit: recorded, and shown to the model only for a tool call. */
export interface Block {
  readonly type: 'block';
  readonly reason: string;
}

/** Drops the response and asks the model again with `feedback`, which is in the next request only and nowhere else. */
export interface RetryWithFeedback {
  readonly type: 'retry-with-feedback';
  readonly feedback: string;
}

const PROCEED: Proceed = Object.freeze({ type: 'proceed' });
const KEEP: Keep = Object.freeze({ type: 'keep' });

export function proceed(): Proceed {
  return PROCEED;
}

export function keep(): Keep {
  return KEEP;
}

export function block(reason: string): Block {
  return Object.freeze({ type: 'block', reason });
}

export function retryWithFeedback(feedback: string): RetryWithFeedback {
  return Object.freeze({ type: 'retry-with-feedback', feedback });
}
