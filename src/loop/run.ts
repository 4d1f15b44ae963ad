import { PendingApprovalError, ThreadError, UnknownThreadError } from '../errors/thread-error.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { UserMessage } from '../protocol/message.ts';
import type { LoopEvent } from './event.ts';
import { openApprovals, type RunResult } from './result.ts';
import type { Session } from './session.ts';
import { turnOf } from './state.ts';
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
  return withThread(run, (session) => {
    const { message, supersede, values } = request;
    refuseWhilePending(session, supersede);
    session.values?.ensureFit(values);
    return {
      type: 'turn.requested',
      message,
      ...(values !== undefined && { values }),
      supersede,
      messageCount: session.messageCount,
      tick: session.now(),
      ...outputGiven(session),
    };
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
  return withThread(run, (session, stored): LoopEvent | undefined => {
    if (stored === undefined) throw new UnknownThreadError(run.threadId);
    switch (session.state.phase.name) {
      case 'idle':
      case 'finished':
        return undefined;
      case 'running':
        // What the tools did has to be settled first; a cancelled run starts none of them.
        session.options.cancel.cancel();
        return { type: 'turn.resumed', tick: session.now() };
      default:
        return { type: 'turn.cancelled' };
    }
  });
}

/** Marks the end of a thread on which no turn is open. */
export function endThread(run: ThreadRun, reason: string): Promise<RunResult> {
  return withThread(run, (_session, stored): LoopEvent => {
    if (stored === undefined) throw new UnknownThreadError(run.threadId);
    return { type: 'thread.ended', reason };
  });
}

/** What picks a stored turn up. Nothing for one that waits for a person: its state is the answer. */
export function resumption(session: Session): LoopEvent | undefined {
  const { phase } = session.state;
  session.values?.ensureFit();
  if (phase.name === 'awaiting-approval') return undefined;
  if (phase.name === 'requesting' || phase.name === 'running' || phase.name === 'rejudging') {
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

function refuseWhilePending(session: Session, supersede: boolean): void {
  const { phase } = session.state;
  if (phase.name !== 'awaiting-approval' || supersede) return;
  const ids = openApprovals(phase.batch).map((approval) => approval.approvalId);
  throw new PendingApprovalError(session.threadId, ids);
}
