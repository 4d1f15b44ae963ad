import { deepFreeze } from '../../internal/deep-freeze.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { Page } from '../page.ts';
import type { LedgerEntry, ListOptions, StoredThread } from '../port.ts';
import {
  type ListedThread,
  type Row,
  readApproval,
  readArtifactRow,
  readLedgerEntry,
  readListedThread,
  readNumber,
  readObject,
} from '../records.ts';
import type { Connection } from './connection.ts';

export function loadThread(connection: Connection, threadId: string): StoredThread | undefined {
  const { row, memory } = connection.read(() => {
    const [found] = connection.all(
      `SELECT ${safe('version')}, state, ${safe('message_count')}, ${safe('last_seq')} FROM threads WHERE id = ?`,
      [threadId],
    );
    return {
      row: found,
      memory:
        found && connection.all('SELECT policy, json FROM memory WHERE thread = ?', [threadId]),
    };
  });
  if (row === undefined || memory === undefined) return undefined;
  const number = (column: string): number =>
    readNumber(row[column], { table: 'threads', thread: threadId, key: column });
  return {
    threadId,
    version: number('version'),
    state: deepFreeze(
      readObject(row['state'], { table: 'threads', thread: threadId, key: 'state' }),
    ),
    messageCount: number('message_count'),
    lastSeq: number('last_seq'),
    memory: readMemory(memory, threadId),
  };
}

/** NULL in the place of what no thread can have: for one number that JavaScript has not, a driver may refuse all rows. */
function safe(column: string): string {
  return `CASE WHEN ${column} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} THEN ${column} END AS ${column}`;
}

function readMemory(
  rows: readonly Row[],
  thread: string,
): { readonly [policy: string]: JsonObject } {
  // Made from entries, as a policy may have any name, that of a prototype included.
  const entries = rows.map(({ policy, json }): [string, JsonObject] => [
    String(policy),
    readObject(json, { table: 'memory', thread, key: `policy '${policy}'` }),
  ]);
  return deepFreeze(Object.fromEntries(entries));
}

export function readLedger(
  connection: Connection,
  threadId: string,
  callIds: readonly string[],
): readonly LedgerEntry[] {
  const rows = connection.read(() =>
    [...new Set(callIds)].flatMap((callId) =>
      connection.all(
        `SELECT call_id, input_digest, status, result, late, at
         FROM ledger WHERE thread = ? AND call_id = ?`,
        [threadId, callId],
      ),
    ),
  );
  return rows.map((row) => readLedgerEntry(row, threadId));
}

const APPROVAL = 'SELECT id, thread, status, json FROM approvals';

/** A `LIMIT` below 0 reads all. */
function limitOf({ wanted }: { readonly wanted: number }): number {
  return Number.isFinite(wanted) ? wanted : -1;
}

/** The literal status lets SQLite take the index of open ones. */
export function readOpenApprovals(
  connection: Connection,
  options: ListOptions & { readonly threadId: string | undefined; readonly after: string },
): readonly Approval[] {
  const { threadId } = options;
  const page = new Page(options, readApproval);
  const ofThread = threadId === undefined ? '' : 'AND thread = ?';
  const sql = `${APPROVAL} WHERE status = 'open' ${ofThread} AND id > ? ORDER BY id LIMIT ?`;
  let { after } = options;
  for (;;) {
    const values = [...(threadId === undefined ? [] : [threadId]), after, limitOf(page)];
    const rows = connection.all(sql, values);
    if (!page.add(rows)) return page.items;
    after = String(rows.at(-1)?.['id']);
  }
}

const THREAD = `SELECT id, ${safe('version')} FROM threads`;

export function readThreadPage(
  connection: Connection,
  options: ListOptions & { readonly after: string | undefined },
): readonly ListedThread[] {
  const page = new Page(options, readListedThread);
  let { after } = options;
  for (;;) {
    const limit = limitOf(page);
    const rows =
      after === undefined
        ? connection.all(`${THREAD} ORDER BY id LIMIT ?`, [limit])
        : connection.all(`${THREAD} WHERE id > ? ORDER BY id LIMIT ?`, [after, limit]);
    if (!page.add(rows)) return page.items;
    after = String(rows.at(-1)?.['id']);
  }
}

export function findApproval(connection: Connection, approvalId: string): Approval | undefined {
  const [row] = connection.all(`${APPROVAL} WHERE id = ?`, [approvalId]);
  return row && readApproval(row);
}

export function readArtifact(
  connection: Connection,
  threadId: string,
  artifactId: string,
): Artifact | undefined {
  const [row] = connection.all('SELECT id, json FROM artifacts WHERE thread = ? AND id = ?', [
    threadId,
    artifactId,
  ]);
  return row && readArtifactRow(row, threadId);
}
