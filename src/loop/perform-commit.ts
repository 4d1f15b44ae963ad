import { AgentHooksError } from '../errors/base.ts';
import { StoreError } from '../errors/store-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { LedgerEntry } from '../stores/port.ts';
import type { CommitEffect, LedgerNote } from './effect.ts';
import type { LoopEvent } from './event.ts';
import type { Session } from './session.ts';

/** Writes all or nothing, and lets the events be heard only then. A cancel does not stop it. */
export function commit(effect: CommitEffect, session: Session): MaybePromise<LoopEvent> {
  try {
    const written = write(effect, session);
    if (!isThenable(written)) return committed(session);
    return written.then(
      () => committed(session),
      (error: unknown) => commitFailed(effect, session, error),
    );
  } catch (error) {
    return commitFailed(effect, session, error);
  }
}

function write(effect: CommitEffect, session: Session): MaybePromise<void> {
  const { ports, digest } = session;
  const events = session.takeOutbox();
  const historyDigest = digest.latest;
  const state =
    historyDigest.count === 0 ? effect.checkpoint : { ...effect.checkpoint, historyDigest };
  const written = ports.store.commit(session.threadId, session.token, session.version, {
    // ThreadState is JSON by construction; an interface has no index signature to say so.
    state: state as unknown as JsonObject,
    messages: effect.messages,
    events,
    ledger: effect.ledger.map((note) => ledgerEntry(note, ports.clock.now())),
    approvals: effect.approvals,
    memory: session.memory.changes,
  });
  const settle = (): void => {
    session.version += 1;
    session.memory.committed();
    session.append(effect.messages);
    for (const event of events) session.publish(event);
  };
  return isThenable(written) ? written.then(settle) : settle();
}

function committed(session: Session): LoopEvent {
  return { type: 'committed', at: session.ports.clock.now(), messageCount: session.messageCount };
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
    if (note.result !== undefined) await recordLate(session, note.callId, note.result);
  }
  return { type: 'commit.failed', error };
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
    const name = error instanceof Error ? error.name : 'unknown';
    session.publishUnstored(
      [{ type: 'error.raised', code: 'outcome-not-recorded', name, details: { callId } }],
      '',
      0,
    );
  }
}

/** Commits how one `once` call ended before its batch is done, without moving the state on. */
export async function saveOutcome(session: Session, note: LedgerNote): Promise<void> {
  const { state } = session;
  await write(
    { type: 'commit', checkpoint: state, messages: [], approvals: [], ledger: [note] },
    session,
  );
}

function ledgerEntry(note: LedgerNote, at: number): LedgerEntry {
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
