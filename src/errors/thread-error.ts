import { AgentHooksError, type ErrorText } from './base.ts';

export type ThreadErrorCode =
  | 'unknown-thread'
  | 'pending-approval'
  | 'pending-tools'
  | 'nothing-to-continue'
  | 'agent-mismatch'
  /** A stored turn with an output schema was to go on without it. */
  | 'output-needed'
  | 'child-thread'
  /** A turn is not over, or in the middle of a step, where what was asked needs a thread at rest. */
  | 'open-turn'
  | 'thread-exists';

/** The caller asked something of a thread that its state does not allow. Thrown before anything ran. */
export class ThreadError extends AgentHooksError {
  readonly code: ThreadErrorCode;

  constructor(code: ThreadErrorCode, text: ErrorText) {
    super(text);
    this.name = 'ThreadError';
    this.code = code;
  }
}

export class UnknownThreadError extends ThreadError {
  constructor(threadId: string) {
    super('unknown-thread', {
      where: `thread '${threadId}'`,
      what: 'the store has no such thread',
      fix: 'Check the id and the store; `run` with a message starts a new thread',
    });
    this.name = 'UnknownThreadError';
  }
}

/** A message came while calls wait for a person. A chat text never counts as an answer. */
export class PendingApprovalError extends ThreadError {
  readonly approvalIds: readonly string[];

  constructor(threadId: string, approvalIds: readonly string[]) {
    super('pending-approval', {
      where: `thread '${threadId}'`,
      what: `${approvalIds.length} approval(s) wait for an answer`,
      fix: 'Answer them with `resume` (without answers once they have expired), end the turn with `cancel`, or run with `supersede: true`, which answers them "not approved"',
    });
    this.name = 'PendingApprovalError';
    this.approvalIds = approvalIds;
  }
}

/** A message came while calls wait for the host that runs them. */
export class PendingToolsError extends ThreadError {
  readonly callIds: readonly string[];

  constructor(threadId: string, callIds: readonly string[]) {
    super('pending-tools', {
      where: `thread '${threadId}'`,
      what: `${callIds.length} call(s) wait for a result of the host`,
      fix: 'Bring the results with `submitToolResults`, end the turn with `cancel`, or run with `supersede: true`, which gives the calls up',
    });
    this.name = 'PendingToolsError';
    this.callIds = callIds;
  }
}
