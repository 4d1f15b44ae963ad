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
import type { Database } from './database.ts';

/** In one statement, and so of one moment. Only the row of the thread has a version. */
export async function loadThread(
  database: Database,
  threadId: string,
): Promise<StoredThread | undefined> {
  const { schema } = database;
  const rows = await database.query(
    `SELECT version, message_count, last_seq, state AS json, NULL AS policy
     FROM ${schema}.threads WHERE id = $1 AND version > 0
     UNION ALL
     SELECT NULL, NULL, NULL, json, policy FROM ${schema}.memory WHERE thread = $1`,
    [threadId],
  );
  const row = rows.find(({ version }) => version !== null);
  if (row === undefined) return undefined;
  const place = (key: string) => ({ table: 'threads', thread: threadId, key });
  const number = (column: string): number => readNumber(row[column], place(column));
  return {
    threadId,
    version: number('version'),
    state: deepFreeze(readObject(row['json'], place('state'))),
    messageCount: number('message_count'),
    lastSeq: number('last_seq'),
    memory: readMemory(
      rows.filter((other) => other !== row),
      threadId,
    ),
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

/** In the order they are asked for. */
export async function readLedger(
  database: Database,
  threadId: string,
  callIds: readonly string[],
): Promise<readonly LedgerEntry[]> {
  if (callIds.length === 0) return [];
  const rows = await database.query(
    `SELECT call_id, input_digest, status, result, late, at
     FROM ${database.schema}.ledger WHERE thread = $1 AND call_id = ANY ($2)`,
    [threadId, callIds],
  );
  const byCall = new Map(rows.map((row) => [row['call_id'], row]));
  return [...new Set(callIds)].flatMap((callId) => {
    const row = byCall.get(callId);
    return row === undefined ? [] : [readLedgerEntry(row, threadId)];
  });
}

/** A `LIMIT` of `null` reads all. */
function limitOf({ wanted }: { readonly wanted: number }): number | null {
  return Number.isFinite(wanted) ? wanted : null;
}

/** The literal status lets the server take the index of open ones. */
export async function readOpenApprovals(
  database: Database,
  options: ListOptions & { readonly threadId: string | undefined; readonly after: string },
): Promise<readonly Approval[]> {
  const { threadId } = options;
  const page = new Page(options, readApproval);
  const ofThread = threadId === undefined ? '' : 'AND thread = $3';
  let { after } = options;
  for (;;) {
    const rows = await database.query(
      `SELECT id, thread, status, json FROM ${database.schema}.approvals
       WHERE status = 'open' AND id > $1 ${ofThread} ORDER BY id LIMIT $2`,
      [after, limitOf(page), ...(threadId === undefined ? [] : [threadId])],
    );
    if (!page.add(rows)) return page.items;
    after = String(rows.at(-1)?.['id']);
  }
}

export async function readThreadPage(
  database: Database,
  options: ListOptions & { readonly after: string | null },
): Promise<readonly ListedThread[]> {
  const page = new Page(options, readListedThread);
  let { after } = options;
  for (;;) {
    const rows = await database.query(
      `SELECT id, version FROM ${database.schema}.threads
       WHERE version > 0 AND ($1::text IS NULL OR id > $1) ORDER BY id LIMIT $2`,
      [after, limitOf(page)],
    );
    if (!page.add(rows)) return page.items;
    after = String(rows.at(-1)?.['id']);
  }
}

export async function findApproval(
  database: Database,
  approvalId: string,
): Promise<Approval | undefined> {
  const [row] = await database.query(
    `SELECT id, thread, status, json FROM ${database.schema}.approvals WHERE id = $1`,
    [approvalId],
  );
  return row && readApproval(row);
}

export async function readArtifact(
  database: Database,
  threadId: string,
  artifactId: string,
): Promise<Artifact | undefined> {
  const [row] = await database.query(
    `SELECT id, json FROM ${database.schema}.artifacts WHERE thread = $1 AND id = $2`,
    [threadId, artifactId],
  );
  return row && readArtifactRow(row, threadId);
}
