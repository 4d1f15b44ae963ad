import { ApprovalError } from '../errors/approval-error.ts';
import { CorruptRecordError } from '../errors/store-error.ts';
import { UnknownThreadError } from '../errors/thread-error.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ApprovalAnswer } from '../protocol/tool.ts';
import type { ThreadStore } from '../stores/port.ts';
import type { ToolPort } from '../tools/port.ts';
import { childThreadId, mayWaitBelow, openChildCalls, readBelow } from './below.ts';
import { CHILD, isChildTool } from './child-tool.ts';
import type { LoopEvent } from './event.ts';
import { findTool } from './find-tool.ts';
import { inputDigestOf } from './input-digest.ts';
import { storedInput } from './locks.ts';
import { mayAnswer, votersOf } from './may-answer.ts';
import type { RunResult } from './result.ts';
import { outputGiven, requireOutput, resumption } from './run.ts';
import type { Session } from './session.ts';
import type { BatchCall, Phase, ThreadState } from './state.ts';
import { ThreadDigest } from './thread-digest.ts';
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
    if (answers.length > 0 || hasExpired(session, at)) requireOutput(session);
    const { state, digest, ports } = session;
    const top: AskingThread = { state, digest, tool: (name) => findTool(session, name) };
    const threads: AskingThread[] = [top];
    const damaged: CorruptRecordError[] = [];
    if (mayWaitBelow(state.phase)) await findAsking(ports.store, top, { threads, damaged });
    const taken: ApprovalAnswer[] = [];
    for (const answer of answers)
      taken.push(await checkAnswer(answer, threads, { session, at, taken, damaged }));
    return takeAnswers(session, taken, at);
  });
}

/** Takes those of the checked answers that are for this thread, and hands the others down. */
export function takeAnswers(
  session: Session,
  answers: readonly ApprovalAnswer[],
  at: number,
): Promise<LoopEvent | undefined> | LoopEvent | undefined {
  const { phase } = session.state;
  if (phase.name === 'awaiting-approval') {
    const own = answers.filter(({ approvalId }) => openCall(phase, approvalId) !== undefined);
    if (own.length > 0 || hasExpired(session, at)) {
      session.values?.ensureFit();
      const tick = session.now();
      return { type: 'approvals.answered', answers: own, at, tick, ...outputGiven(session) };
    }
  } else if (answers.length > 0 && mayWaitBelow(phase)) {
    session.values?.ensureFit();
    session.answers = answers;
    return { type: 'turn.resumed', tick: session.now(), ...outputGiven(session) };
  }
  return resumption(session);
}

/** A thread whose approvals can be answered, as far as a check needs it. */
interface AskingThread {
  readonly state: ThreadState;
  readonly tool: (name: string) => ToolPort<never> | undefined;
  readonly digest: ThreadDigest;
}

/** The threads below, all the way down: the answers to all of them are checked before any of them goes on. */
async function findAsking(
  store: ThreadStore,
  { state, tool: find }: AskingThread,
  found: { readonly threads: AskingThread[]; readonly damaged: CorruptRecordError[] },
): Promise<void> {
  for (const call of openChildCalls(state.phase)) {
    const tool = find(call.toolName);
    const below = await readBelow(store, childThreadId(state.threadId, call.callId));
    if (CorruptRecordError.isInstance(below)) {
      found.damaged.push(below);
      continue;
    }
    if (below === undefined || !isChildTool(tool)) continue;
    const digest = new ThreadDigest(below.digestKey);
    const { tools } = tool[CHILD].agent;
    const thread: AskingThread = { state: below, digest, tool: tools.get };
    found.threads.push(thread);
    await findAsking(store, thread, found);
  }
}

async function checkAnswer(
  answer: ApprovalAnswer,
  threads: readonly AskingThread[],
  now: {
    readonly session: Session;
    readonly at: number;
    readonly taken: readonly ApprovalAnswer[];
    readonly damaged: readonly CorruptRecordError[];
  },
): Promise<ApprovalAnswer> {
  const { approvalId } = answer;
  if (now.taken.some((earlier) => earlier.approvalId === approvalId))
    throw new ApprovalError('answered', approvalId);
  const thread = threads.find(({ state }) => openCall(state.phase, approvalId) !== undefined);
  const call = thread && openCall(thread.state.phase, approvalId);
  if (thread === undefined || call?.approval === undefined) throw await refusalOf(now, approvalId);
  const { approval } = call;
  if (approval.expiresAt !== undefined && approval.expiresAt <= now.at)
    throw new ApprovalError('expired', approvalId);
  if (inputDigestOf(thread.digest, call) !== approval.inputDigest)
    throw new ApprovalError('altered', approvalId);
  if (!jsonEqual(approval.prepared, call.operation?.prepared))
    throw new ApprovalError('altered', approvalId);
  checkApprover(answer, call, approval);
  return answer.input === undefined ? answer : checkEdit(answer, call, thread);
}

/** A person's yes counts once for each wish, however many are needed. */
function checkApprover(
  { approvalId, approved, by }: ApprovalAnswer,
  { granted = [] }: BatchCall,
  { requirements }: Approval,
): void {
  const asked = requirements.filter((wanted) => mayAnswer(wanted, by));
  if (asked.length === 0) throw new ApprovalError('not-an-approver', approvalId);
  if (!approved || asked.some((wanted) => !votersOf(granted, wanted).has(by))) return;
  throw new ApprovalError('answered', approvalId, VOTED);
}

const VOTED = 'this person has said yes to it already, and it needs more people than one';

/** An edited input has to fit the tool before the answer counts; it is judged again before it runs. */
async function checkEdit(
  answer: ApprovalAnswer,
  call: BatchCall,
  thread: AskingThread,
): Promise<ApprovalAnswer> {
  const tool = thread.tool(call.toolName);
  if (tool === undefined) {
    throw new ApprovalError(
      'altered',
      answer.approvalId,
      `the tool '${call.toolName}' is no longer there`,
    );
  }
  // What is locked is filled where the call is judged again, whatever the answer says of it.
  const given = storedInput(tool, answer.input ?? {});
  const checked = await (tool.locks?.checkPart ?? tool.check)(given);
  if ('problem' in checked) {
    throw new ApprovalError(
      'invalid-input',
      answer.approvalId,
      `the edited input does not fit: ${checked.problem}`,
    );
  }
  return { ...answer, input: checked.input };
}

function openCall(phase: Phase, approvalId: string): BatchCall | undefined {
  if (phase.name !== 'awaiting-approval') return undefined;
  return phase.batch.calls.find(
    (call) =>
      call.refusal === undefined &&
      call.approval?.status === 'open' &&
      call.approval.approvalId === approvalId,
  );
}

async function refusalOf(
  { session, damaged }: { readonly session: Session; readonly damaged: readonly Error[] },
  approvalId: string,
): Promise<Error> {
  const known = await session.ports.store.findApproval(approvalId);
  if (known === undefined) return new ApprovalError('unknown', approvalId);
  const { threadId } = session;
  if (known.threadId !== threadId && known.topThreadId !== threadId)
    return new ApprovalError('foreign', approvalId);
  // What is open and was found nowhere is of a subagent that is damaged, or that this process does not have.
  if (known.status === 'open' && damaged[0] !== undefined) return damaged[0];
  if (known.status === 'open')
    return new ApprovalError(
      'altered',
      approvalId,
      'the agent that asked for it is no longer there',
    );
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
