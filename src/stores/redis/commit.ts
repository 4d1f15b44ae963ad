import { randomUUID } from 'node:crypto';
import {
  LedgerMismatchError,
  StoreAccessError,
  ThreadConflictError,
} from '../../errors/store-error.ts';
import { type CommitRows, commitRows, notNew } from '../commit-rows.ts';
import type { ThreadChanges } from '../port.ts';
import { announceApprovals, retireApprovals } from './approvals.ts';
import type { RedisConnection } from './connection.ts';
import { lost } from './leases.ts';
import { miscounted } from './reads.ts';
import { ledgerValue } from './records.ts';
import { COMMIT } from './scripts.ts';

export interface Commit {
  readonly threadId: string;
  readonly token: number;
  readonly expectedVersion: number;
  readonly changes: ThreadChanges;
}

/**
 * Writes all of a commit, or throws and writes nothing of it. Each has an id of its own, so that one whose answer was
 * lost can be repeated without being done twice. What finds a thread or an approval among all lives in other places of
 * a cluster: it is written before, when it can only point to what is not there yet, and tidied up afterwards.
 */
export async function writeCommit(connection: RedisConnection, commit: Commit): Promise<void> {
  const { threadId, expectedVersion } = commit;
  const rows = commitRows(threadId, commit.changes);
  if (expectedVersion === 0) await connection.call('ZADD', [connection.keys.threads, 0, threadId]);
  if (rows.approvals.length > 0) await announceApprovals(connection, threadId, rows.approvals);
  requireDone(connection, threadId, await commitThread(connection, commit, rows));
  if (rows.approvals.length > 0) await retireApprovals(connection, threadId, rows.approvals);
}

function commitThread(
  connection: RedisConnection,
  { threadId, token, expectedVersion }: Commit,
  rows: CommitRows,
): Promise<unknown> {
  const keys = connection.keys.of(threadId);
  return connection.run({
    script: COMMIT,
    threadId,
    keys: [
      keys.thread,
      keys.messages,
      keys.events,
      keys.ledger,
      keys.approvals,
      keys.open,
      keys.memory,
      keys.artifacts,
    ],
    args: [token, expectedVersion, randomUUID(), rows.state, ...toArguments(rows)],
  });
}

/** How many of each kind, then the values of each kind. */
function toArguments(rows: CommitRows): readonly (string | number)[] {
  const ledger = rows.ledger.map(
    ([entry, result]) => [entry.callId, entry.inputDigest, ledgerValue(entry, result)] as const,
  );
  const { messages, events, approvals, memory, artifacts } = rows;
  const kinds = [messages, events, ledger, approvals, memory, artifacts];
  return [...kinds.map(({ length }) => length), ...kinds.flat(2)];
}

function requireDone(connection: RedisConnection, threadId: string, said: unknown): void {
  const [word, detail]: readonly unknown[] = Array.isArray(said) ? said : [said];
  switch (word) {
    case 'done':
      return;
    case 'claim':
      throw lost(threadId);
    case 'version':
      throw new ThreadConflictError(threadId);
    case 'event':
      throw notNew(threadId);
    case 'ledger':
      throw new LedgerMismatchError(threadId, String(detail));
    case 'damaged':
      throw miscounted(threadId);
    default:
      throw new StoreAccessError('unreadable', connection.where, {
        what: 'a script of its own gave an answer nobody knows',
      });
  }
}
