import { ApprovalError } from '../errors/approval-error.ts';
import { UnknownThreadError } from '../errors/thread-error.ts';
import type { ApprovalAnswer } from '../protocol/tool.ts';
import type { LoopEvent } from './event.ts';
import { findTool } from './find-tool.ts';
import { mayAnswer } from './may-answer.ts';
import type { RunResult } from './result.ts';
import { outputGiven, requireOutput, resumption } from './run.ts';
import type { Session } from './session.ts';
import type { BatchCall } from './state.ts';
import { type ThreadRun, withThread } from './with-thread.ts';

/**
 * Takes a person's answers. Every one has to match an open approval of this thread, or none is taken and an
 * `ApprovalError` says why. Without answers, what expired counts as not approved, and a turn that an ended
 * process left goes on.
 */
export function resumeThread(
  run: ThreadRun,
  answers: readonly ApprovalAnswer[],
): Promise<RunResult> {
  return withThread(run, async (session, stored): Promise<LoopEvent | undefined> => {
    if (stored === undefined) throw new UnknownThreadError(run.threadId);
    const at = session.ports.clock.now();
    const isGoingOn = answers.length > 0 || hasExpired(session, at);
    if (isGoingOn) requireOutput(session);
    const taken: ApprovalAnswer[] = [];
    for (const answer of answers) taken.push(await checkAnswer(answer, session, { at, taken }));
    if (!isGoingOn) return resumption(session);
    session.values?.ensureFit();
    const tick = session.now();
    return { type: 'approvals.answered', answers: taken, at, tick, ...outputGiven(session) };
  });
}

async function checkAnswer(
  answer: ApprovalAnswer,
  session: Session,
  { at, taken }: { readonly at: number; readonly taken: readonly ApprovalAnswer[] },
): Promise<ApprovalAnswer> {
  const { approvalId } = answer;
  if (taken.some((earlier) => earlier.approvalId === approvalId))
    throw new ApprovalError('answered', approvalId);
  const call = openCall(session, approvalId);
  if (call?.approval === undefined) throw await refusalOf(session, approvalId);
  const { approval } = call;
  if (approval.expiresAt !== undefined && approval.expiresAt <= at)
    throw new ApprovalError('expired', approvalId);
  if (
    session.digest.of({ toolName: call.toolName, input: call.effectiveInput }) !==
    approval.inputDigest
  ) {
    throw new ApprovalError('altered', approvalId);
  }
  if (!approval.requirements.some((wanted) => mayAnswer(wanted, answer.by)))
    throw new ApprovalError('not-an-approver', approvalId);
  return answer.input === undefined ? answer : checkEdit(answer, call, session);
}

/** An edited input has to fit the tool before the answer counts; it is judged again before it runs. */
async function checkEdit(
  answer: ApprovalAnswer,
  call: BatchCall,
  session: Session,
): Promise<ApprovalAnswer> {
  const tool = findTool(session, call.toolName);
  if (tool === undefined) {
    throw new ApprovalError(
      'altered',
      answer.approvalId,
      `the tool '${call.toolName}' is no longer there`,
    );
  }
  const checked = await tool.check(answer.input ?? {});
  if ('problem' in checked) {
    throw new ApprovalError(
      'invalid-input',
      answer.approvalId,
      `the edited input does not fit: ${checked.problem}`,
    );
  }
  return { ...answer, input: checked.input };
}

function openCall(session: Session, approvalId: string): BatchCall | undefined {
  const { phase } = session.state;
  if (phase.name !== 'awaiting-approval') return undefined;
  return phase.batch.calls.find(
    (call) =>
      call.refusal === undefined &&
      call.approval?.status === 'open' &&
      call.approval.approvalId === approvalId,
  );
}

async function refusalOf(session: Session, approvalId: string): Promise<ApprovalError> {
  const known = await session.ports.store.findApproval(approvalId);
  if (known === undefined) return new ApprovalError('unknown', approvalId);
  if (known.threadId !== session.threadId) return new ApprovalError('foreign', approvalId);
  return new ApprovalError(known.status === 'expired' ? 'expired' : 'answered', approvalId);
}

function hasExpired(session: Session, at: number): boolean {
  const { phase } = session.state;
  if (phase.name !== 'awaiting-approval') return false;
  return phase.batch.calls.some(
    ({ refusal, approval }) =>
      refusal === undefined &&
      approval?.status === 'open' &&
      approval.expiresAt !== undefined &&
      approval.expiresAt <= at,
  );
}
