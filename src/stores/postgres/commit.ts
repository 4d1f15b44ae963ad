import { randomUUID } from 'node:crypto';
import {
  LedgerMismatchError,
  StoreAccessError,
  ThreadConflictError,
} from '../../errors/store-error.ts';
import { type CommitRows, commitRows, notNew } from '../commit-rows.ts';
import type { ThreadChanges } from '../port.ts';
import { codeOf } from '../remote/plain-cause.ts';
import type { Database } from './database.ts';
import type { SqlValue } from './driver.ts';
import { lost } from './leases.ts';
import { FOREIGN_APPROVAL, LEDGER_MISMATCH } from './schema.ts';

export interface Commit {
  readonly threadId: string;
  readonly token: number;
  readonly expectedVersion: number;
  readonly changes: ThreadChanges;
}

/**
 * Writes all of a commit, or throws and writes nothing. Each has an id of its own, so that one whose answer was lost
 * can be repeated without being done twice.
 */
export async function writeCommit(database: Database, commit: Commit): Promise<void> {
  const { threadId, token, expectedVersion } = commit;
  const values: SqlValue[] = [
    threadId,
    token,
    expectedVersion,
    randomUUID(),
    ...toArrays(commitRows(threadId, commit.changes)),
  ];
  const parameters = values.map((_value, index) => `$${index + 1}`).join(', ');
  const [row] = await database.query(
    `SELECT ${database.schema}.commit_thread(${parameters}) AS said`,
    values,
    (error) => refusal(threadId, error),
  );
  const said = row?.['said'];
  switch (said) {
    case 'done':
      return;
    case 'claim':
      throw lost(threadId);
    case 'version':
      throw new ThreadConflictError(threadId);
    case 'event':
      throw notNew(threadId);
    default:
      throw new StoreAccessError('unreadable', database.where, {
        what: 'its function `commit_thread` gave an answer of another version',
      });
  }
}

/** Column by column, as the function takes them. */
function toArrays(rows: CommitRows): readonly SqlValue[] {
  const { ledger, approvals } = rows;
  return [
    rows.state,
    rows.messages,
    rows.events.map(([seq]) => seq),
    rows.events.map(([, json]) => json),
    ledger.map(([{ callId }]) => callId),
    ledger.map(([{ inputDigest }]) => inputDigest),
    ledger.map(([{ status }]) => status),
    ledger.map(([, result]) => result),
    ledger.map(([{ late }]) => (late === true ? 1 : 0)),
    ledger.map(([{ at }]) => at),
    approvals.map(([id]) => id),
    approvals.map(([, status]) => status),
    approvals.map(([, , json]) => json),
    rows.memory.map(([policy]) => policy),
    rows.memory.map(([, json]) => json),
    rows.artifacts.map(([id]) => id),
    rows.artifacts.map(([, json]) => json),
  ];
}

/** What the function raises to take back what it had begun to write. */
function refusal(threadId: string, error: unknown): Error | undefined {
  switch (codeOf(error)) {
    case LEDGER_MISMATCH: {
      const callId: unknown = Reflect.get(Object(error), 'detail');
      return new LedgerMismatchError(threadId, String(callId));
    }
    case FOREIGN_APPROVAL:
      return new ThreadConflictError(threadId, 'an approval id belongs to another thread');
    default:
      return undefined;
  }
}
