import type { JsonObject } from './json.ts';
import type { PreparedOperation } from './operation.ts';
import type { ApprovalAnswer } from './tool.ts';

/** One policy's wish that a person looks at a call first. */
export interface ApprovalRequirement {
  readonly policy: string;
  readonly version?: string;
  readonly prompt: string;
  /** Who may answer; anyone the host lets through when absent. */
  readonly approvers?: readonly string[];
  /** How many different people have to say yes. Default: 1. */
  readonly quorum?: number;
}

/** A yes that was not enough yet. */
export interface ApprovalVote {
  readonly by: string;
  readonly reason?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type ApprovalStatus = 'open' | 'approved' | 'denied' | 'expired' | 'superseded';

/**
 * One call that waits for a person. Stored with the thread, listed by `pendingApprovals`, answered once.
 * `input` is the effective input without locked values; `inputDigest` binds the answer to exactly that input.
 */
export interface Approval {
  readonly approvalId: string;
  readonly threadId: string;
  /** For a call of a subagent: the thread to answer on. Absent where that is `threadId`. */
  readonly topThreadId?: string;
  /** For a call of a subagent: its name. */
  readonly agent?: string;
  /** For a call of a subagent: the agents above it, outermost first. */
  readonly agentPath?: readonly string[];
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly input: JsonObject;
  readonly inputDigest: string;
  /** What a listen tool has prepared. A yes is for this revision, and for no other. */
  readonly prepared?: PreparedOperation;
  readonly requirements: readonly ApprovalRequirement[];
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  /** The earliest expiry any policy asked for; absent when none did. */
  readonly expiresAt?: number;
  readonly status: ApprovalStatus;
  /** Who has said yes while more were needed. Absent where nobody has. */
  readonly votes?: readonly ApprovalVote[];
  /** What closed it. */
  readonly answer?: ApprovalAnswer & { readonly at: number };
}
