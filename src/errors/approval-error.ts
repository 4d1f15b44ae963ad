import { AgentHooksError } from './base.ts';

/**
 * Why an answer was refused. `unknown`: no such approval; `foreign`: it belongs to another thread;
 * `answered`: it was answered before; `expired`: its time is over; `altered`: the call is not the one that
 * was shown; `not-an-approver`: the policy names others; `invalid-input`: the edited input does not fit.
 */
export type ApprovalRefusal =
  | 'unknown'
  | 'foreign'
  | 'answered'
  | 'expired'
  | 'altered'
  | 'not-an-approver'
  | 'invalid-input';

/** An answer matches no open approval. Thrown by `resume` before anything ran; no answer of the same call counts. */
export class ApprovalError extends AgentHooksError {
  readonly code: `approval-${ApprovalRefusal}`;
  readonly approvalId: string;

  constructor(refusal: ApprovalRefusal, approvalId: string, detail?: string) {
    super({ where: `approval '${approvalId}'`, what: detail ?? WHAT[refusal], fix: FIX[refusal] });
    this.name = 'ApprovalError';
    this.code = `approval-${refusal}`;
    this.approvalId = approvalId;
  }
}

const WHAT: Record<ApprovalRefusal, string> = {
  unknown: 'no approval with this id was ever asked for',
  foreign: 'it belongs to another thread',
  answered: 'it has been answered already',
  expired: 'its time to answer is over',
  altered: 'the call it was asked for has changed',
  'not-an-approver': 'no policy that asked names this person',
  'invalid-input': 'the edited input does not fit the schema of the tool',
};

const FIX: Record<ApprovalRefusal, string> = {
  unknown: 'Take the id from `result.approvals` or `pendingApprovals`',
  foreign: 'Resume the thread that asked for it',
  answered:
    'An approval counts once. Go on with a turn that an ended process left with `resume({ threadId })`, without answers; list what is still open with `pendingApprovals`',
  expired: 'Resume without an answer to go on with the call not approved',
  altered: 'Have the person look at the call again',
  'not-an-approver': 'Let somebody answer whom `requirements` names',
  'invalid-input': 'Correct the edited input and answer again; the approval is still open',
};
