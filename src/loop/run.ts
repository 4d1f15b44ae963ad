import {
  PendingApprovalError,
  PendingToolsError,
  ThreadError,
  UnknownThreadError,
} from '../errors/thread-error.ts';
import type { Writable } from '../internal/writable.ts';
import type { Approval } from '../protocol/approval.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { UserMessage } from '../protocol/message.ts';
import { lookBelow, mayWaitBelow } from './below.ts';
import { cancellation } from './cancellation.ts';
import type { LoopEvent } from './event.ts';
import { openApprovals, type RunResult } from './result.ts';
import type { Session } from './session.ts';
import { type Phase, turnOf } from './state.ts';
import { type ThreadRun, withThread } from './with-thread.ts';

/** Runs a whole turn, or one step of it when the rules say so. Throws `PendingApprovalError` before anything ran. */
export function runMessage(
  run: ThreadRun,
  request: {
    readonly message: UserMessage;
    readonly supersede: boolean;
    /** Values of the thread's state, checked. */
    readonly values?: JsonObject | undefined;
  },
): Promise<RunResult> {
  const { message, values } = request;
  const requested = (session: Session, supersede: boolean): LoopEvent => {
    session.values?.ensureFit(values);
    const event: Writable<Extract<LoopEvent, { readonly type: 'turn.requested' }>> = {
      type: 'turn.requested',
      message,
      supersede,
      messageCount: session.messageCount,
      tick: session.now(),
    };
    const { output } = outputGiven(session);
    if (values !== undefined) event.values = values;
    if (output !== undefined) event.output = output;
    return event;
  };
  return withThread(run, (session) => {
    const { phase } = session.state;
    if (mayWaitBelow(phase)) {
      return lookBelow(session).then(({ approvals }) => {
        refuseWhilePending(session, approvals, request.supersede);
        // Where nothing is open any more there is nobody to ask before the turn is ended.
        return requested(session, true);
      });
    }
    if (phase.name === 'awaiting-approval')
      refuseWhilePending(session, openApprovals(phase.batch), request.supersede);
    if (phase.name === 'awaiting-tools' && !request.supersede)
      throw new PendingToolsError(
        session.threadId,
        phase.handed.map(({ callId }) => callId),
      );
    return requested(session, request.supersede);
  });
}

/** Goes on with a turn that stopped between two steps, or that an ended process left. */
export function continueTurn(run: ThreadRun): Promise<RunResult> {
  return withThread(run, (session, stored) => {
    if (stored === undefined) throw new UnknownThreadError(run.threadId);
    return resumption(session);
  });
}

/** Ends the turn that is open on a stored thread: one that waits for a person, or that an ended process left. */
export function cancelStored(run: ThreadRun): Promise<RunResult> {
  return withThread({ ...run, tellsEnded: true }, (session, stored): LoopEvent | undefined => {
    if (stored === undefined) throw new UnknownThreadError(run.threadId);
    return cancellation(session);
  });
}

/** Marks the end of a thread on which no turn is open. */
export function endThread(run: ThreadRun, reason: string): Promise<RunResult> {
  return withThread(run, (_session, stored): LoopEvent => {
    if (stored === undefined) throw new UnknownThreadError(run.threadId);
    return { type: 'thread.ended', reason };
  });
}

const RESUMABLE: ReadonlySet<Phase['name']> = new Set([
  'requesting',
  'compacting',
  'preparing',
  'running',
  'rejudging',
]);

/** What picks a stored turn up. Nothing for one that waits for a person: its state is the answer. */
export function resumption(
  session: Session,
): Promise<LoopEvent | undefined> | LoopEvent | undefined {
  const { phase } = session.state;
  session.values?.ensureFit();
  if (phase.name === 'awaiting-approval' || phase.name === 'awaiting-tools') return undefined;
  if (phase.name === 'awaiting-child') {
    return lookBelow(session).then(({ approvals, hasMoved }) => {
      session.awaited = approvals;
      if (!hasMoved) return undefined;
      requireOutput(session);
      return { type: 'turn.resumed', tick: session.now(), ...outputGiven(session) };
    });
  }
  if (RESUMABLE.has(phase.name)) {
    requireOutput(session);
    return { type: 'turn.resumed', tick: session.now(), ...outputGiven(session) };
  }
  throw new ThreadError('nothing-to-continue', {
    where: `thread '${session.threadId}'`,
    what: 'its last turn has ended',
    fix: 'Begin a new turn with a message',
  });
}

/** A schema checks more than its JSON form can say, so a stored turn goes on only with the schema itself. */
export function requireOutput({ threadId, state, options }: Session): void {
  if (turnOf(state.phase)?.output === undefined || options.output !== undefined) return;
  throw new ThreadError('output-needed', {
    where: `thread '${threadId}'`,
    what: 'the final answer of its open turn has to fit an output schema, which is not stored',
    fix: 'Pass `output` again, with the schema that the turn was begun with',
  });
}

/** What the run was given takes the place of what the turn has: a schema may have been mended meanwhile. */
export function outputGiven({ options }: Session): { readonly output?: JsonObject } {
  return options.output === undefined ? {} : { output: options.output.jsonSchema };
}

function refuseWhilePending(
  { threadId }: Session,
  approvals: readonly Approval[],
  supersede: boolean,
): void {
  if (approvals.length === 0 || supersede) return;
  const ids = approvals.map((approval) => approval.approvalId);
  throw new PendingApprovalError(threadId, ids);
}
