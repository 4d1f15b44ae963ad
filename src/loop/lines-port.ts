import type { JsonValue } from '../protocol/json.ts';

/** A line that code has said to the user. */
export interface SpokenLine {
  /** Before a tool runs, in answer to its result, or at the end of a conversation in which the model said nothing. */
  readonly kind: 'announce' | 'reply' | 'goodbye';
  /** As it has passed the policies. */
  readonly text: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  /** The agents above, outermost first, for a line of a subagent. */
  readonly agentPath?: readonly string[];
}

/** How lines are said that code says itself. */
export interface LinesPort {
  /** The host's own, which may throw anything. Absent where only events tell of lines. */
  readonly onLine?: (line: SpokenLine) => unknown;
  /** Milliseconds a tool waits at most for the host to show its line. */
  readonly waitMs: number;
  /** A value in words, as the schema of the place it is from says what it is. */
  readonly say: (value: JsonValue, from: LineSource) => string;
}

/** Where a value of a line is from. */
export interface LineSource {
  readonly toolName: string;
  /** `call` is an argument. */
  readonly root: 'call' | 'result' | 'state' | 'fact';
  readonly path: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}
