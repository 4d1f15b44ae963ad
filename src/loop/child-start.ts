import type { Approval } from '../protocol/approval.ts';
import type { UserMessage } from '../protocol/message.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { Caller } from './child-rules.ts';
import type { ChildAgent } from './child-tool.ts';
import type { LedgerNote, OpenTurn } from './state.ts';

/** One run of the child of one call. */
export interface ChildStart {
  readonly callId: string;
  readonly threadId: string;
  readonly agent: ChildAgent;
  readonly agentPath: readonly string[];
  /** What a child that has not begun is told. Absent for one that is only to end. */
  readonly message: UserMessage | undefined;
  readonly caller: Caller;
  /** Stores what the caller's policies remember. */
  readonly saver: {
    readonly failed: boolean;
    readonly save: (notes: readonly LedgerNote[]) => Promise<void>;
  };
  /** Milliseconds this run may take. */
  readonly limitMs: number | undefined;
}

/** How far a child has come. */
export interface ChildEnd {
  /** Absent while it waits for a person. */
  readonly result?: ToolResult;
  /** What it waits for. */
  readonly approvals: readonly Approval[];
  /** Its turn, as far as this process knows it. */
  readonly turn: OpenTurn | undefined;
}
