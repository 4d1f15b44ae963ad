import { ThreadBusyError, ThreadConflictError } from '../../errors/store-error.ts';
import type { Claim } from '../port.ts';
import { readNumber } from '../records.ts';
import type { RedisConnection } from './connection.ts';
import { CLAIM, RELEASE, RENEW } from './scripts.ts';

export interface LeaseRequest {
  readonly threadId: string;
  readonly holder: string;
  readonly ttlMs: number;
  /** The app's clock; empty for that of the server. */
  readonly now: number | '';
}

/** Takes the thread in one script, so two processes cannot both get it. */
export async function claim(
  connection: RedisConnection,
  { threadId, holder, ttlMs, now }: LeaseRequest,
): Promise<Claim> {
  const keys = [connection.keys.of(threadId).thread];
  const taken = await connection.run({
    script: CLAIM,
    threadId,
    keys,
    args: [holder, ttlMs, now],
  });
  if (!Array.isArray(taken)) throw new ThreadBusyError(threadId, Number(taken));
  const place = { table: 'thread', thread: threadId, key: 'token' };
  return { token: readNumber(Number(taken[0]), place), expiresAt: Number(taken[1]) };
}

export async function renew(
  connection: RedisConnection,
  request: Omit<LeaseRequest, 'holder'> & { readonly token: number },
): Promise<void> {
  const { threadId, token, ttlMs, now } = request;
  const keys = [connection.keys.of(threadId).thread];
  const args = [token, ttlMs, now];
  const renewed = await connection.run({ script: RENEW, threadId, keys, args });
  if (Number(renewed) === 0) throw lost(threadId);
}

export async function release(
  connection: RedisConnection,
  threadId: string,
  token: number,
): Promise<void> {
  const keys = [connection.keys.of(threadId).thread];
  await connection.run({ script: RELEASE, threadId, keys, args: [token] });
}

export function lost(threadId: string): ThreadConflictError {
  return new ThreadConflictError(threadId, 'its claim was given back or taken over');
}
