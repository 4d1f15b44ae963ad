import { AgentHooksError } from '../errors/base.ts';
import {
  CorruptRecordError,
  StoreError,
  StoreVersionError,
  ThreadBusyError,
} from '../errors/store-error.ts';
import { ThreadError } from '../errors/thread-error.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { adopted } from '../internal/later.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { Message } from '../protocol/message.ts';
import type { Claim, StoredThread } from '../stores/port.ts';
import { drive } from './drive.ts';
import type { LoopEvent } from './event.ts';
import { newThread } from './new-thread.ts';
import type { Ports } from './ports.ts';
import { readState } from './read-state.ts';
import { failedResult, neverStarted, type RunResult, resultOf } from './result.ts';
import { type RunOptions, Session } from './session.ts';
import { type ParentCall, type ThreadState, turnOf } from './state.ts';
import { closingEvents, failed } from './transition.ts';

/** What a run needs beside its options. */
export interface ThreadRun {
  readonly ports: Ports;
  readonly threadId: string;
  readonly options: RunOptions;
  /** Called when the thread is this run's. */
  readonly onClaimed?: () => void;
  /** Set where the result may be that of a turn that has ended: what it added is read too, whatever a summary covers. */
  readonly tellsEnded?: true;
}

/**
 * Claims the thread, loads it, and drives it from the event that `choose` names; `choose` throws what the
 * caller did wrong, before anything ran. No event means there is nothing to do and the state is the answer.
 * The claim is given back whatever happens.
 */
export async function withThread(run: ThreadRun, choose: Choose): Promise<RunResult> {
  const { threadId, options } = run;
  const { leases } = run.ports;
  // Waited for even when it is there at once: whoever starts a run has to have its promise before anything happens.
  const claim = await takeClaim(run);
  if (AgentHooksError.isInstance(claim)) return neverStarted(threadId, claim);
  run.onClaimed?.();
  const held = {
    threadId,
    token: claim.token,
    onLost: (error: unknown) => options.cancel.cancel(error),
  };
  leases.hold(held);
  let session: Session | undefined;
  try {
    const opening = openSession(run, claim.token);
    const opened = isThenable(opening) ? await opening : opening;
    if (AgentHooksError.isInstance(opened)) return neverStarted(threadId, opened);
    const { stored } = opened;
    session = opened.session;
    const choice = choiceOf(session, stored, choose);
    const event = isThenable(choice) ? await choice : choice;
    if (AgentHooksError.isInstance(event)) return neverStarted(threadId, event);
    if (event === undefined) return resultOf(session);
    // Awaited here, and not in a function of its own, which would have each run wait for one promise more.
    try {
      await drive(session, event);
      return resultOf(session);
    } catch (cause) {
      return brokenOff(session, cause);
    }
  } finally {
    session?.close();
    options.cancel.close();
    leases.drop(held);
    const giving = giveBack(run, claim);
    if (isThenable(giving)) await giving;
  }
}

type Choose = (
  session: Session,
  stored: StoredThread | undefined,
) => MaybePromise<LoopEvent | undefined>;

/** What a choice reads of other threads and of approvals may fail as any reading may. */
function choiceOf(
  session: Session,
  stored: StoredThread | undefined,
  choose: Choose,
): MaybePromise<LoopEvent | StoreError | undefined> {
  const refused = (error: unknown): StoreError => unreadable(session.threadId, error);
  try {
    const choice = choose(session, stored);
    return isThenable(choice) ? Promise.resolve(choice).catch(refused) : choice;
  } catch (error) {
    return refused(error);
  }
}

/** A run that gets no claim lets go of the caller's signal too. Who asks for a busy thread is told by a throw. */
function takeClaim(run: ThreadRun): MaybePromise<Claim | StoreError> {
  const { ports, threadId, options } = run;
  const refused = (error: unknown): StoreError => {
    options.cancel.close();
    return unreadable(threadId, error);
  };
  try {
    const { above } = options;
    // Whoever holds the caller's thread takes a subagent's over from the process that held both.
    const holder = above === undefined ? ports.leases.newHolder() : `below ${above.call.threadId}`;
    const claim = ports.store.claim(threadId, { holder, ttlMs: ports.leases.ttlMs });
    return isThenable(claim) ? adopted(claim).catch(refused) : claim;
  } catch (error) {
    return refused(error);
  }
}

/** What the caller has to know before anything runs is thrown; a store that merely fails is a failed result. */
function unreadable(threadId: string, cause: unknown): StoreError {
  const isTold =
    ThreadBusyError.isInstance(cause) ||
    StoreVersionError.isInstance(cause) ||
    CorruptRecordError.isInstance(cause) ||
    (AgentHooksError.isInstance(cause) && !StoreError.isInstance(cause));
  if (isTold) throw cause;
  if (StoreError.isInstance(cause)) return cause;
  return new StoreError(
    {
      where: `thread '${threadId}'`,
      what: 'the store could not read it',
      fix: 'See `cause`; nothing was run or written',
    },
    { cause },
  );
}

/** A claim that cannot be given back runs out by itself; what the run has to tell is not lost over it. */
function giveBack({ ports, threadId }: ThreadRun, claim: Claim): MaybePromise<void> {
  const notReleased = (error: unknown): void => {
    const { name } = describeThrown(error);
    const stamp = { threadId, turnId: '', step: 0, at: ports.clock.now(), seq: 0 };
    ports.observe({ type: 'error.raised', code: 'claim-not-released', name, ...stamp });
  };
  try {
    const released = ports.store.release(threadId, claim.token);
    return isThenable(released) ? adopted(released).catch(notReleased) : undefined;
  } catch (error) {
    notReleased(error);
  }
}

interface Opened {
  readonly session: Session;
  readonly stored: StoredThread | undefined;
}

function openSession(run: ThreadRun, token: number): MaybePromise<Opened | StoreError> {
  const { threadId } = run;
  const open = (loaded: Loaded): Opened => newSession(run, { token, ...loaded });
  const refused = (error: unknown): StoreError => unreadable(threadId, error);
  let loading: MaybePromise<Loaded>;
  try {
    loading = loadThread(run);
  } catch (error) {
    return refused(error);
  }
  if (!isThenable(loading)) return open(loading);
  return Promise.resolve(loading).then(open, refused);
}

interface Loaded {
  readonly stored: StoredThread | undefined;
  /** Those after the first `from`. */
  readonly messages: readonly Message[];
  readonly from: number;
}

function loadThread({ ports, threadId, tellsEnded }: ThreadRun): MaybePromise<Loaded> {
  const { store } = ports;
  const withMessages = (stored: StoredThread | undefined): MaybePromise<Loaded> => {
    if (stored === undefined) return { stored, messages: [], from: 0 };
    const from = firstNeeded(threadId, stored, tellsEnded === true);
    const messages =
      from === 0 ? store.readMessages(threadId) : store.readMessages(threadId, { after: from });
    return isThenable(messages)
      ? adopted(messages).then((read) => ({ stored, messages: read, from }))
      : { stored, messages, from };
  };
  const loaded = store.load(threadId);
  return isThenable(loaded) ? adopted(loaded).then(withMessages) : withMessages(loaded);
}

/**
 * How many messages need not be read: those a summary stands for (L10), but for an open turn that began among them, or
 * an ended one that is told of again: its result holds all that it added.
 */
function firstNeeded(threadId: string, stored: StoredThread, tellsEnded: boolean): number {
  const { summary, phase } = readState(threadId, stored);
  if (summary === undefined) return 0;
  const { upTo } = summary;
  if (!Number.isInteger(upTo) || upTo < 0 || upTo > stored.messageCount)
    throw new CorruptRecordError(
      threadId,
      `thread '${threadId}'`,
      'its summary stands for messages it has not',
    );
  if (phase.name === 'finished' && !tellsEnded) return upTo;
  return Math.min(upTo, turnOf(phase)?.firstMessage ?? upTo);
}

function newSession(
  { ports, threadId, options }: ThreadRun,
  { token, stored, messages, from }: Loaded & { readonly token: number },
): Opened {
  const state =
    stored === undefined
      ? newThread(threadId, ports.agentName, {
          digestKey: ports.newId(),
          parent: options.above?.call,
        })
      : readState(threadId, stored);
  requireCaller(state, options.above?.call);
  const owned = ownedBy(ports.agentName, state);
  const session = new Session(ports, options, { state: owned, token, stored, messages, from });
  const { phase } = owned;
  session.hasStreamed = 'batch' in phase && phase.batch.shown === true;
  return { session, stored };
}

/** An open turn goes on only under the agent, and so the policies, it began with. A new turn may be another's. */
function ownedBy(agent: string, state: ThreadState): ThreadState {
  if (state.agent === agent) return state;
  const { name } = state.phase;
  if (name === 'idle' || name === 'finished') return { ...state, agent };
  throw new ThreadError('agent-mismatch', {
    where: `thread '${state.threadId}'`,
    what: `its open turn belongs to the agent '${state.agent}', not to '${agent}'`,
    fix: 'Go on with the agent that began the turn, or end the turn with its `cancel`',
  });
}

/** The thread of a subagent is run by its call only, under the policies above it; and no other thread is taken for one (L11). */
function requireCaller({ threadId, parent }: ThreadState, call: ParentCall | undefined): void {
  if (parent?.threadId === call?.threadId && parent?.callId === call?.callId) return;
  const isChild = parent !== undefined;
  throw new ThreadError('child-thread', {
    where: `thread '${threadId}'`,
    what: isChild
      ? 'it belongs to a call of a subagent, and is run with that only'
      : 'it is no thread of a subagent, and has the id that the thread of a call would have',
    fix: isChild
      ? `Answer, go on and cancel on thread '${parent.topThreadId}'`
      : "Give threads ids that do not look like '<thread>/<turn>.<step>.<index>'",
  });
}

/** Whatever breaks, the run ends with a result and the turn with its event. */
function brokenOff(session: Session, cause: unknown): RunResult {
  const error = AgentHooksError.isInstance(cause) ? cause : unexpected(session, cause);
  const turn = turnOf(session.state.phase);
  if (turn !== undefined) {
    const { endedBy: _notStored, ...open } = turn;
    session.publishUnstored(closingEvents(open, failed(error), false), turn.turnId, turn.step);
  }
  return failedResult(session, error);
}

function unexpected(session: Session, cause: unknown): StoreError {
  return new StoreError(
    {
      where: `thread '${session.threadId}'`,
      what: 'a part of the run failed in a way it must not',
      fix: 'See `cause`; what was committed before is kept, and the thread can be resumed',
    },
    { cause },
  );
}
