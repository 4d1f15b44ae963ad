import { ThreadBusyError, ThreadConflictError } from '../../errors/store-error.ts';
import { leaseEnd } from '../lease-end.ts';
import type { Claim } from '../port.ts';
import { readNumber } from '../records.ts';
import type { Connection } from './connection.ts';

export interface LeaseRequest {
  readonly threadId: string;
  readonly holder: string;
  readonly now: number;
  readonly ttlMs: number;
}

/** Takes the thread in one statement: the row decides, so two processes cannot both get it. */
export function claim(connection: Connection, request: LeaseRequest): Claim {
  const { threadId, holder, now } = request;
  const expiresAt = leaseEnd(now, request.ttlMs);
  const rows = connection.write(() =>
    connection.all(
      `INSERT INTO leases (thread, token, holder, expires_at) VALUES (?, 1, ?, ?)
       ON CONFLICT (thread) DO UPDATE
         SET token = token + 1, holder = excluded.holder, expires_at = excluded.expires_at
         WHERE holder IS NULL OR holder = excluded.holder OR expires_at <= ?
       RETURNING token`,
      [threadId, holder, expiresAt, now],
    ),
  );
  const row = rows[0];
  if (row === undefined) throw new ThreadBusyError(threadId, heldUntil(connection, threadId));
  const token = readNumber(row['token'], { table: 'leases', thread: threadId, key: 'token' });
  return { token, expiresAt };
}

/** Asked only once a claim was refused. Nothing when it was given back meanwhile. */
function heldUntil(connection: Connection, threadId: string): number | undefined {
  const [row] = connection.all(
    'SELECT expires_at FROM leases WHERE thread = ? AND holder IS NOT NULL',
    [threadId],
  );
  return row === undefined ? undefined : Number(row['expires_at']);
}

export function renew(
  connection: Connection,
  request: { readonly threadId: string; readonly token: number; readonly expiresAt: number },
): void {
  const { threadId, token, expiresAt } = request;
  const changed = connection.write(() =>
    connection.run(
      'UPDATE leases SET expires_at = ? WHERE thread = ? AND token = ? AND holder IS NOT NULL',
      [expiresAt, threadId, token],
    ),
  );
  if (changed === 0) throw lost(threadId);
}

export function release(connection: Connection, threadId: string, token: number): void {
  connection.write(() =>
    connection.run('UPDATE leases SET holder = NULL WHERE thread = ? AND token = ?', [
      threadId,
      token,
    ]),
  );
}

/** A claim whose time ran out still counts until another takes the thread: nobody else has written. */
export function requireClaim(connection: Connection, threadId: string, token: number): void {
  const rows = connection.all(
    'SELECT 1 FROM leases WHERE thread = ? AND token = ? AND holder IS NOT NULL',
    [threadId, token],
  );
  if (rows.length === 0) throw lost(threadId);
}

function lost(threadId: string): ThreadConflictError {
  return new ThreadConflictError(threadId, 'its claim was given back or taken over');
}
