import { LedgerMismatchError, ThreadConflictError } from '../../errors/store-error.ts';
import { type CommitRows, commitRows, notNew } from '../commit-rows.ts';
import type { LedgerEntry, ThreadChanges } from '../port.ts';
import { readNumber } from '../records.ts';
import type { Connection } from './connection.ts';
import type { SqlValue } from './driver.ts';
import { requireClaim } from './leases.ts';

export interface Commit {
  readonly threadId: string;
  readonly token: number;
  readonly expectedVersion: number;
  readonly changes: ThreadChanges;
}

interface Counts {
  readonly messageCount: number;
  readonly lastSeq: number;
}

/** Writes all of a commit, or throws and writes nothing. */
export function writeCommit(connection: Connection, commit: Commit): void {
  const { threadId } = commit;
  const rows = commitRows(threadId, commit.changes);
  connection.write(() => {
    requireClaim(connection, threadId, commit.token);
    const counts = requireVersion(connection, threadId, commit.expectedVersion);
    putThread(connection, commit, { rows, counts });
    putMessages(connection, threadId, { rows, counts });
    for (const [seq, json] of rows.events) {
      connection.run('INSERT INTO events (thread, seq, json) VALUES (?, ?, ?)', [
        threadId,
        seq,
        json,
      ]);
    }
    for (const [entry, result] of rows.ledger) putLedger(connection, threadId, [entry, result]);
    for (const approval of rows.approvals) putApproval(connection, threadId, approval);
    for (const [policy, json] of rows.memory) {
      connection.run(
        `INSERT INTO memory (thread, policy, json) VALUES (?, ?, ?)
         ON CONFLICT (thread, policy) DO UPDATE SET json = excluded.json`,
        [threadId, policy, json],
      );
    }
    for (const [id, json] of rows.artifacts) {
      connection.run(
        `INSERT INTO artifacts (thread, id, json) VALUES (?, ?, ?)
         ON CONFLICT (thread, id) DO UPDATE SET json = excluded.json`,
        [threadId, id, json],
      );
    }
  });
}

function requireVersion(connection: Connection, threadId: string, expected: number): Counts {
  const [row] = connection.all(
    'SELECT version, message_count, last_seq FROM threads WHERE id = ?',
    [threadId],
  );
  if ((row?.['version'] ?? 0) !== expected) throw new ThreadConflictError(threadId);
  if (row === undefined) return { messageCount: 0, lastSeq: 0 };
  const place = { table: 'threads', thread: threadId, key: 'counts' };
  return {
    messageCount: readNumber(row['message_count'], place),
    lastSeq: readNumber(row['last_seq'], place),
  };
}

function putThread(
  connection: Connection,
  commit: Commit,
  { rows, counts }: { readonly rows: CommitRows; readonly counts: Counts },
): void {
  const values: SqlValue[] = [
    commit.expectedVersion + 1,
    rows.state,
    counts.messageCount + rows.messages.length,
    nextSeq(commit.threadId, counts.lastSeq, rows),
    commit.threadId,
  ];
  const sql =
    commit.expectedVersion === 0
      ? 'INSERT INTO threads (version, state, message_count, last_seq, id) VALUES (?, ?, ?, ?, ?)'
      : 'UPDATE threads SET version = ?, state = ?, message_count = ?, last_seq = ? WHERE id = ?';
  connection.run(sql, values);
}

function nextSeq(threadId: string, lastSeq: number, { events }: CommitRows): number {
  if (!((events[0]?.[0] ?? Number.POSITIVE_INFINITY) > lastSeq)) throw notNew(threadId);
  return events.at(-1)?.[0] ?? lastSeq;
}

function putMessages(
  connection: Connection,
  threadId: string,
  { rows, counts }: { readonly rows: CommitRows; readonly counts: Counts },
): void {
  let position = counts.messageCount;
  for (const json of rows.messages) {
    position += 1;
    connection.run('INSERT INTO messages (thread, position, json) VALUES (?, ?, ?)', [
      threadId,
      position,
      json,
    ]);
  }
}

/** The first outcome stays: what really happened is not replaced by what a turn believed later. */
function putLedger(
  connection: Connection,
  threadId: string,
  [entry, result]: readonly [entry: LedgerEntry, result: string | null],
): void {
  const { callId, inputDigest, status, at } = entry;
  const late = entry.late === true ? 1 : 0;
  const changed = connection.run(
    `INSERT INTO ledger (thread, call_id, input_digest, status, result, late, at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (thread, call_id) DO UPDATE
       SET status = excluded.status, result = excluded.result, late = excluded.late, at = excluded.at
       WHERE input_digest = excluded.input_digest AND status = 'intended'`,
    [threadId, callId, inputDigest, status, result, late, at],
  );
  if (changed > 0) return;
  const [row] = connection.all('SELECT input_digest FROM ledger WHERE thread = ? AND call_id = ?', [
    threadId,
    callId,
  ]);
  if (row?.['input_digest'] !== inputDigest) throw new LedgerMismatchError(threadId, callId);
}

function putApproval(
  connection: Connection,
  threadId: string,
  [id, status, json]: CommitRows['approvals'][number],
): void {
  const changed = connection.run(
    `INSERT INTO approvals (id, thread, status, json) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, json = excluded.json
       WHERE thread = excluded.thread`,
    [id, threadId, status, json],
  );
  if (changed === 0) {
    throw new ThreadConflictError(threadId, 'an approval id belongs to another thread');
  }
}
