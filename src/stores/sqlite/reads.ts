import { deepFreeze } from '../../internal/deep-freeze.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { LedgerEntry, StoredThread } from '../port.ts';
import {
  type Row,
  readApproval,
  readArtifactRow,
  readLedgerEntry,
  readNumber,
  readObject,
} from '../records.ts';
import type { Connection } from './connection.ts';

export function loadThread(connection: Connection, threadId: string): StoredThread | undefined {
  const { row, memory } = connection.read(() => {
    const [found] = connection.all(
      'SELECT version, state, message_count, last_seq FROM threads WHERE id = ?',
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

/** `limit` below 0 reads all. The literal status lets SQLite take the index of open ones. */
export function readOpenApprovals(
  connection: Connection,
  options: {
    readonly threadId: string | undefined;
    readonly after: string;
    readonly limit: number;
  },
): readonly Approval[] {
  const { threadId, after, limit } = options;
  const rows =
    threadId === undefined
      ? connection.all(`${APPROVAL} WHERE status = 'open' AND id > ? ORDER BY id LIMIT ?`, [
          after,
          limit,
        ])
      : connection.all(
          `${APPROVAL} WHERE status = 'open' AND thread = ? AND id > ? ORDER BY id LIMIT ?`,
          [threadId, after, limit],
        );
  return rows.map(readApproval);
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
