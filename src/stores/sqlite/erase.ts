import { ThreadConflictError } from '../../errors/store-error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { jsonText } from '../json-text.ts';
import type { ThreadRewrite } from '../port.ts';
import {
  type Row,
  readApproval,
  readArtifactRow,
  readEvent,
  readLedgerEntry,
  readMessage,
  readObject,
} from '../records.ts';
import { checkedRewrite } from '../rewrite.ts';
import type { Connection } from './connection.ts';
import type { SqlValue } from './driver.ts';
import { requireClaim } from './leases.ts';

/** The tables below go with the row of the thread. The claims stay. */
export function deleteThread(connection: Connection, threadId: string, token: number): void {
  connection.write(() => {
    requireClaim(connection, threadId, token);
    connection.run('DELETE FROM threads WHERE id = ?', [threadId]);
  });
}

export interface Rewrite {
  readonly threadId: string;
  readonly token: number;
  readonly expectedVersion: number;
  readonly rewrite: ThreadRewrite;
}

/** All of it in one transaction, and never more of it in memory than a page of one table. */
export function rewriteThread(connection: Connection, request: Rewrite): void {
  const { threadId, expectedVersion } = request;
  const to = checkedRewrite(request.rewrite);
  connection.write(() => {
    requireClaim(connection, threadId, request.token);
    const [row] = connection.all('SELECT version, state FROM threads WHERE id = ?', [threadId]);
    if (row?.['version'] !== expectedVersion) throw new ThreadConflictError(threadId);
    const state = readObject(row['state'], { table: 'threads', thread: threadId, key: 'state' });
    connection.run('UPDATE threads SET version = ?, state = ? WHERE id = ?', [
      expectedVersion + 1,
      jsonText(to.state(state), 'state of a rewrite'),
      threadId,
    ]);
    for (const table of tables(threadId, to)) rewriteTable(connection, threadId, table);
  });
}

/** The rows of one kind of record. */
interface Table {
  readonly name: string;
  /** What finds a row among those of its thread, by an index. */
  readonly key: string;
  readonly column: string;
  /** What else has to be read of a row. */
  readonly beside?: string;
  /** The new text of the column; `undefined` to leave it. */
  readonly textOf: (row: Row) => string | undefined;
}

function tables(thread: string, to: ThreadRewrite): readonly Table[] {
  const text = (value: unknown): string => jsonText(value, 'record of a rewrite');
  return [
    {
      name: 'messages',
      key: 'position',
      column: 'json',
      textOf: (row) => text(to.message(readMessage(row, thread))),
    },
    {
      name: 'events',
      key: 'seq',
      column: 'json',
      textOf: (row) => text(to.event(readEvent(row, thread))),
    },
    {
      name: 'ledger',
      key: 'call_id',
      column: 'result',
      beside: 'input_digest, status, late, at',
      textOf: (row) => {
        const { result } = readLedgerEntry(row, thread);
        return result && text(to.result(result));
      },
    },
    {
      name: 'approvals',
      key: 'rowid',
      column: 'json',
      beside: 'id, thread, status',
      textOf: (row) => text(to.approval(readApproval(row))),
    },
    {
      name: 'memory',
      key: 'policy',
      column: 'json',
      textOf: (row) => text(rewrittenMemory(row, thread, to)),
    },
    {
      name: 'artifacts',
      key: 'id',
      column: 'json',
      textOf: (row) => text(to.artifact(readArtifactRow(row, thread))),
    },
  ];
}

function rewrittenMemory(row: Row, thread: string, to: ThreadRewrite): JsonObject {
  const policy = String(row['policy']);
  const value = readObject(row['json'], { table: 'memory', thread, key: `policy '${policy}'` });
  return to.memory(value, policy);
}

const PAGE = 100;

function rewriteTable(connection: Connection, threadId: string, table: Table): void {
  const { name, key, column, beside } = table;
  const select = `SELECT ${key}, ${column}${beside === undefined ? '' : `, ${beside}`} FROM ${name}`;
  const update = `UPDATE ${name} SET ${column} = ? WHERE thread = ? AND ${key} = ?`;
  const order = `ORDER BY ${key} LIMIT ${PAGE}`;
  let rows = connection.all(`${select} WHERE thread = ? ${order}`, [threadId]);
  while (rows.length > 0) {
    let last: SqlValue = null;
    for (const row of rows) {
      last = row[key] as SqlValue; // The tables are strict: a key is a text or a number.
      const text = table.textOf(row);
      if (text !== undefined) connection.run(update, [text, threadId, last]);
    }
    rows = connection.all(`${select} WHERE thread = ? AND ${key} > ? ${order}`, [threadId, last]);
  }
}
