import { ThreadBusyError, ThreadConflictError } from '../../errors/store-error.ts';
import type { Claim } from '../port.ts';
import { readNumber } from '../records.ts';
import type { Database } from './database.ts';

export interface LeaseRequest {
  readonly threadId: string;
  readonly holder: string;
  readonly ttlMs: number;
  /** The app's clock; `null` for that of the server. */
  readonly now: number | null;
}

/** The moment a statement runs, also one that waited for a lock. */
function clock(parameter: string): string {
  return `coalesce(${parameter}::float8, extract(epoch FROM clock_timestamp()) * 1000)::float8`;
}

/** Takes the thread in one statement: the row decides, so two processes cannot both get it. */
export async function claim(
  database: Database,
  { threadId, holder, ttlMs, now }: LeaseRequest,
): Promise<Claim> {
  const [row] = await database.query(
    `INSERT INTO ${database.schema}.threads AS t (id, token, holder, expires_at)
     VALUES ($1, 1, $2, ${clock('$4')} + $3::float8)
     ON CONFLICT (id) DO UPDATE
       SET token = t.token + 1, holder = excluded.holder, expires_at = ${clock('$4')} + $3::float8
       WHERE t.holder IS NULL OR t.holder = excluded.holder OR t.expires_at <= ${clock('$4')}
     RETURNING token, expires_at`,
    [threadId, holder, ttlMs, now],
  );
  if (row === undefined) throw new ThreadBusyError(threadId, await heldUntil(database, threadId));
  const place = { table: 'threads', thread: threadId, key: 'token' };
  return { token: readNumber(row['token'], place), expiresAt: Number(row['expires_at']) };
}

/**
 * Asked only once a claim was refused. Nothing when it was given back meanwhile, or cannot be read: that the thread is
 * held is known all the same.
 */
async function heldUntil(database: Database, threadId: string): Promise<number | undefined> {
  const sql = `SELECT expires_at FROM ${database.schema}.threads WHERE id = $1 AND holder IS NOT NULL`;
  const [row] = await database.query(sql, [threadId]).catch(() => []);
  return row === undefined ? undefined : Number(row['expires_at']);
}

export async function renew(
  database: Database,
  request: Omit<LeaseRequest, 'holder'> & { readonly token: number },
): Promise<void> {
  const rows = await database.query(
    `UPDATE ${database.schema}.threads SET expires_at = ${clock('$4')} + $3::float8
     WHERE id = $1 AND token = $2 AND holder IS NOT NULL RETURNING 1`,
    [request.threadId, request.token, request.ttlMs, request.now],
  );
  if (rows.length === 0) throw lost(request.threadId);
}

export async function release(database: Database, threadId: string, token: number): Promise<void> {
  await database.query(
    `UPDATE ${database.schema}.threads SET holder = NULL WHERE id = $1 AND token = $2`,
    [threadId, token],
  );
}

export function lost(threadId: string): ThreadConflictError {
  return new ThreadConflictError(threadId, 'its claim was given back or taken over');
}
