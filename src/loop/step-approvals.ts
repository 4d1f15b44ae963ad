import type { EventBody } from '../events/event.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { Approval, ApprovalVote } from '../protocol/approval.ts';
import type { ApprovalAnswer } from '../protocol/tool.ts';
import type { LoopEvent } from './event.ts';
import { mayAnswer, votersOf } from './may-answer.ts';
import { noteDenied } from './repeats.ts';
import type { Batch, BatchCall, Grant, OpenTurn, ThreadState } from './state.ts';
import { withOutput } from './step-answer.ts';
import { rejudge } from './step-prepare.ts';
import { commitThen, type Transition } from './transition.ts';

/** Records the answers, and what expired meanwhile. The batch is judged again when no call of it is open. */
export function onApprovalsAnswered(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'approvals.answered' }>,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'awaiting-approval') return undefined;
  const answers = new Map(event.answers.map((answer) => [answer.approvalId, answer]));
  const calls = phase.batch.calls.map((call) => answerCall(call, answers, event.at));
  const changed = calls.filter((call, index) => call !== phase.batch.calls[index]);
  const batch: Batch = { ...phase.batch, calls };
  const told = noteDenied(withOutput(phase.turn, event.output), changed);
  const turn: OpenTurn = { ...told, activeSince: event.tick };
  const open = calls.some((call) => call.refusal === undefined && call.approval?.status === 'open');
  const next = open
    ? ({ name: 'awaiting-approval', turn: told, batch } as const)
    : rejudge(turn, batch);
  return commitThen(state, next, {
    turn,
    events: changed.map(answeredEvent),
    approvals: changed.flatMap((call): Approval[] =>
      call.approval === undefined ? [] : [call.approval],
    ),
  });
}

function answerCall(
  call: BatchCall,
  answers: ReadonlyMap<string, ApprovalAnswer>,
  at: number,
): BatchCall {
  const { approval } = call;
  if (approval === undefined || approval.status !== 'open' || call.refusal !== undefined)
    return call;
  const answer = answers.get(approval.approvalId);
  if (answer === undefined) return expireCall(call, approval, at);
  const status = answer.approved ? 'approved' : 'denied';
  const answered: Approval = deepFreeze({ ...approval, status, answer: { ...answer, at } });
  if (answer.approved) {
    const input = deepFreeze(answer.input ?? call.effectiveInput);
    const isSame = jsonEqual(input, call.effectiveInput);
    // Who approved another input has not approved this one.
    const earlier = isSame ? (call.granted ?? []) : [];
    const granted = [...earlier, ...grantsOf(approval, answer.by)];
    if (isSame && votesNeeded(approval, { granted, by: answer.by }) > 0)
      return { ...call, approval: withVote(approval, answer, at), granted };
    return { ...call, effectiveInput: input, approval: answered, granted };
  }
  const reason = answer.reason ?? `${answer.by} said no`;
  return { ...call, approval: answered, refusal: { outcome: 'denied', by: answer.by, reason } };
}

/** What this person's yes is worth: the wishes that name them, and those that name nobody. */
function grantsOf(approval: Approval, by: string): readonly Grant[] {
  return approval.requirements
    .filter((wanted) => mayAnswer(wanted, by))
    .map(({ policy, version }) => ({ policy, ...(version !== undefined && { version }), by }));
}

/** How many more people have to say yes to what this one was asked for. */
function votesNeeded(
  { requirements }: Approval,
  { granted, by }: { readonly granted: readonly Grant[]; readonly by: string },
): number {
  const asked = requirements.filter((wanted) => mayAnswer(wanted, by));
  return Math.max(
    0,
    ...asked.map((wanted) => (wanted.quorum ?? 1) - votersOf(granted, wanted).size),
  );
}

/** It stays open under its id: the others who are asked have that one. */
function withVote(approval: Approval, { by, reason }: ApprovalAnswer, at: number): Approval {
  const vote: ApprovalVote = { by, at, ...(reason !== undefined && { reason }) };
  return deepFreeze({ ...approval, votes: [...(approval.votes ?? []), vote] });
}

function expireCall(call: BatchCall, approval: Approval, at: number): BatchCall {
  if (approval.expiresAt === undefined || approval.expiresAt > at) return call;
  return {
    ...call,
    approval: { ...approval, status: 'expired' },
    refusal: { outcome: 'denied', by: 'agent', reason: 'nobody answered in time' },
  };
}

function answeredEvent(call: BatchCall): EventBody {
  const { callId, approval, granted = [] } = call;
  const approvalId = approval?.approvalId ?? '';
  const vote = approval?.status === 'open' ? approval.votes?.at(-1) : undefined;
  if (approval !== undefined && vote !== undefined) {
    const { by, reason } = vote;
    return {
      type: 'approval.answered',
      approvalId,
      callId,
      approved: true,
      by,
      ...(reason !== undefined && { reason }),
      edited: false,
      needed: votesNeeded(approval, { granted, by }),
    };
  }
  const answer = approval?.answer;
  if (answer === undefined) return { type: 'approval.expired', approvalId, callId };
  return {
    type: 'approval.answered',
    approvalId,
    callId,
    approved: answer.approved,
    by: answer.by,
    ...(answer.reason !== undefined && { reason: answer.reason }),
    edited: answer.input !== undefined,
  };
}
