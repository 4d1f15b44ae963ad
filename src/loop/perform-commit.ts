import { AgentHooksError } from '../errors/base.ts';
import { StoreError } from '../errors/store-error.ts';
import { PackedEvents } from '../events/packed-events.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { adopted } from '../internal/later.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject } from '../protocol/json.ts';
import { isReplaced, PackedChanges } from '../stores/packed-port.ts';
import type { LedgerEntry, ThreadChanges } from '../stores/port.ts';
import { withAnnounced } from './announced.ts';
import type { CommitEffect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { eventsOf, type Outgoing } from './outbox.ts';
import { rests } from './rests.ts';
import type { Session } from './session.ts';
import { showStored } from './show-line.ts';
import { type LedgerNote, type ThreadState, turnOf } from './state.ts';

/** Writes all or nothing, and lets the events be heard only then. A cancel does not stop it. */
export function commit(effect: CommitEffect, session: Session): MaybePromise<LoopEvent> {
  try {
    const written = write(effect, session);
    if (!isThenable(written)) return committed(session);
    return Promise.resolve(written).then(
      () => committed(session),
      (error: unknown) => commitFailed(effect, session, error),
    );
  } catch (error) {
    return commitFailed(effect, session, error);
  }
}

/** What policies above a subagent remember of it is stored first: after a crash they know too much, never too little. */
function write(effect: CommitEffect, session: Session): MaybePromise<void> {
  const saving = session.options.above?.save();
  return saving === undefined
    ? writeThread(effect, session)
    : saving.then(() => writeThread(effect, session));
}

function writeThread(effect: CommitEffect, session: Session): MaybePromise<void> {
  const { ports, digest } = session;
  const outgoing = session.takeOutbox();
  const memory = session.memory.takeChanges();
  const counted = withActivity(effect.checkpoint, session);
  const state = digest.isMade ? { ...counted, historyDigest: digest.latest } : counted;
  const rest: Omit<ThreadChanges, 'events'> = {
    // ThreadState is JSON by construction; an interface has no index signature to say so.
    state: state as unknown as JsonObject,
    messages: effect.messages,
    ledger:
      effect.ledger.length === 0 ? [] : effect.ledger.map((note) => ledgerEntry(note, session)),
    approvals: effect.approvals,
    memory,
    artifacts: effect.artifacts ?? [],
  };
  const changes =
    outgoing instanceof PackedEvents && !isReplaced(ports.store)
      ? new PackedChanges(rest, outgoing)
      : { ...rest, events: eventsOf(outgoing) };
  let written: MaybePromise<void>;
  try {
    written = ports.store.commit(session.threadId, session.token, session.version, changes);
  } catch (error) {
    return undo(session, { outgoing, memory }, error);
  }
  if (!isThenable(written)) return settle(effect, session, outgoing);
  return settleLater(effect, session, { written: adopted(written), outgoing, memory });
}

function settle(effect: CommitEffect, session: Session, outgoing: Outgoing): void {
  session.version += 1;
  session.values?.committed(effect.checkpoint.values);
  session.history.append(effect.messages);
  session.publishAll(outgoing);
  showStored(outgoing, session);
  session.options.onStored?.();
}

// Apart, as closures cost the function that they are in even where they are not made.
function settleLater(
  effect: CommitEffect,
  session: Session,
  { written, ...taken }: Taken & { readonly written: Promise<void> },
): Promise<void> {
  return written.then(
    () => settle(effect, session, taken.outgoing),
    (error: unknown) => undo(session, taken, error),
  );
}

/**
 * Adds the time this run has been active to what earlier runs were. Where nothing is limited by it, only a state
 * that rests needs to say so.
 */
function withActivity(state: ThreadState, session: Session): ThreadState {
  const isLimited = session.options.rules.limits.thread?.wallTimeMs !== undefined;
  if (!isLimited && !rests(state.phase)) return state;
  return { ...state, totals: { ...state.totals, activeMs: session.activeMs } };
}

/** What a commit took to store it. */
interface Taken {
  readonly outgoing: Outgoing;
  readonly memory: ThreadChanges['memory'];
}

/** What was not written waits for the next commit, if there is one. */
function undo(session: Session, taken: Taken, error: unknown): never {
  session.putBack(taken.outgoing);
  session.memory.putBack(taken.memory);
  throw error;
}

function committed(session: Session): LoopEvent {
  return {
    type: 'committed',
    messageCount: session.messageCount,
  };
}

/** What a tool has done is kept even when the commit that tells of it was refused. */
async function commitFailed(
  effect: CommitEffect,
  session: Session,
  cause: unknown,
): Promise<LoopEvent> {
  const error = AgentHooksError.isInstance(cause) ? cause : storeFailed(session, cause);
  session.error = error;
  for (const note of effect.ledger) {
    // Another process may run by now what this one did not start: only what was done is known for sure.
    if (note.result !== undefined && hasRun(note.result))
      await recordLate(session, note.callId, note.result);
  }
  return { type: 'commit.failed', error };
}

function hasRun({ outcome }: NonNullable<LedgerNote['result']>): boolean {
  return outcome === 'succeeded' || outcome === 'failed';
}

/** Records an outcome outside a commit. A store that cannot is told of as an error, never silently. */
export async function recordLate(
  session: Session,
  callId: string,
  result: NonNullable<LedgerNote['result']>,
): Promise<void> {
  try {
    await session.ports.store.recordLate(session.threadId, callId, result);
  } catch (error) {
    tellLost(session, callId, { code: 'outcome-not-recorded', error });
  }
}

function tellLost(
  session: Session,
  callId: string,
  lost: { readonly code: string; readonly error: unknown },
): void {
  const { code, error } = lost;
  const { name } = describeThrown(error);
  const turn = turnOf(session.state.phase);
  const body = { type: 'error.raised', code, name, details: { callId } } as const;
  session.tell(body, turn?.turnId ?? '', turn?.step ?? 0);
}

/** Commits what became of `once` calls before their batch is done, without moving the state on. False when it failed. */
export async function saveNotes(session: Session, ledger: readonly LedgerNote[]): Promise<boolean> {
  const values = session.values?.kept;
  const announced = session.announced?.calls;
  const now = withoutNext(session.state);
  const state = announced === undefined ? now : withAnnounced(now, announced);
  const checkpoint = values === undefined ? state : { ...state, values };
  const rest = { checkpoint, messages: [], approvals: [] } as const;
  try {
    await write({ type: 'commit', ...rest, ledger }, session);
    return true;
  } catch (error) {
    for (const { callId, result } of ledger) {
      if (result === undefined) continue;
      tellLost(session, callId, { code: 'outcome-not-saved', error });
      await recordLate(session, callId, result);
    }
    return false;
  }
}

/** Commits a state that the loop has not come to yet: what has begun has to be known. False when it failed. */
export async function saveCheckpoint(session: Session, checkpoint: ThreadState): Promise<boolean> {
  try {
    const rest = { messages: [], approvals: [], ledger: [] } as const;
    await write({ type: 'commit', checkpoint, ...rest }, session);
    return true;
  } catch {
    // The next commit of the run fails too, and tells why.
    return false;
  }
}

/** Nobody has been asked about the message of a turn that waits, so nothing of it is stored. */
function withoutNext(state: ThreadState): ThreadState {
  if (state.phase.name !== 'running' || state.phase.next === undefined) return state;
  const { next: _unjudged, ...phase } = state.phase;
  return { ...state, phase };
}

function ledgerEntry(note: LedgerNote, { at }: Session): LedgerEntry {
  const { callId, inputDigest, result } = note;
  if (result === undefined) return { callId, inputDigest, status: 'intended', at };
  return { callId, inputDigest, status: 'finished', result, at };
}

function storeFailed(session: Session, cause: unknown): StoreError {
  return new StoreError(
    {
      where: `thread '${session.threadId}'`,
      what: 'the store could not write',
      fix: 'See `cause`; nothing was written',
    },
    { cause },
  );
}
