import { randomUUID } from 'node:crypto';
import { ThreadConflictError } from '../../errors/store-error.ts';
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
import type { Database, Run } from './database.ts';
import { lost } from './leases.ts';

const TABLES = ['messages', 'events', 'ledger', 'approvals', 'memory', 'artifacts'] as const;

/** The row of the thread stays, as one that was claimed and never committed. */
export function deleteThread(database: Database, threadId: string, token: number): Promise<void> {
  const { schema } = database;
  return database.transaction(async (run) => {
    const rows = await run(
      `UPDATE ${schema}.threads SET version = 0, state = NULL, last_commit = NULL,
         message_count = 0, last_seq = 0
       WHERE id = $1 AND token = $2 AND holder IS NOT NULL RETURNING 1`,
      [threadId, token],
    );
    if (rows.length === 0) throw lost(threadId);
    for (const table of TABLES) {
      await run(`DELETE FROM ${schema}.${table} WHERE thread = $1`, [threadId]);
    }
  });
}

export interface Rewrite {
  readonly threadId: string;
  readonly token: number;
  readonly expectedVersion: number;
  readonly rewrite: ThreadRewrite;
}

/**
 * All of it in one transaction, and never more of it in memory than a page of one table. How long that takes depends on how
 * long the thread is, so each statement has the time of a request.
 */
export async function rewriteThread(database: Database, request: Rewrite): Promise<void> {
  const { threadId } = request;
  const { schema } = database;
  const to = checkedRewrite(request.rewrite);
  const id = randomUUID();
  await database.longTransaction(async (run) => {
    const [row] = await run(
      `SELECT version, state, last_commit, token, holder FROM ${schema}.threads
       WHERE id = $1 FOR UPDATE`,
      [threadId],
    );
    // Done before, and only the answer was lost.
    if (row?.['last_commit'] === id) return;
    if (row?.['token'] !== request.token || row['holder'] === null) throw lost(threadId);
    if (row['version'] !== request.expectedVersion || row['version'] === 0) {
      throw new ThreadConflictError(threadId);
    }
    const state = readObject(row['state'], { table: 'threads', thread: threadId, key: 'state' });
    await run(
      `UPDATE ${schema}.threads SET version = version + 1, state = $2, last_commit = $3
       WHERE id = $1`,
      [threadId, jsonText(to.state(state), 'state of a rewrite'), id],
    );
    await run(BY_KEY);
    for (const table of tables(threadId, to)) await rewriteTable(run, schema, { threadId, table });
  });
}

/** The rows of one kind of record. */
interface Table {
  readonly name: (typeof TABLES)[number];
  /** What finds a row among those of its thread, by an index. */
  readonly key: string;
  readonly column: 'json' | 'result';
  /** The new text of the column; `undefined` to leave it. */
  readonly textOf: (row: Row) => string | undefined;
}

function tables(thread: string, to: ThreadRewrite): readonly Table[] {
  const text = (value: unknown): string => jsonText(value, 'record of a rewrite');
  const table = (
    name: Table['name'],
    key: string,
    textOf: (row: Row) => string | undefined,
  ): Table => ({ name, key, column: name === 'ledger' ? 'result' : 'json', textOf });
  return [
    table('messages', 'position', (row) => text(to.message(readMessage(row, thread)))),
    table('events', 'seq', (row) => text(to.event(readEvent(row, thread)))),
    table('ledger', 'call_id', (row) => {
      const { result } = readLedgerEntry(row, thread);
      return result && text(to.result(result));
    }),
    table('approvals', 'id', (row) => text(to.approval(readApproval(row)))),
    table('memory', 'policy', (row) => {
      const policy = String(row['policy']);
      const place = { table: 'memory', thread, key: `policy '${policy}'` };
      return text(to.memory(readObject(row['json'], place), policy));
    }),
    table('artifacts', 'id', (row) => text(to.artifact(readArtifactRow(row, thread)))),
  ];
}

/**
 * Until the end of the transaction rows are found by their keys. Of tables that have just grown the server believes that a
 * thread has few rows, and would look at all of them for each page.
 */
const BY_KEY = `SELECT set_config(name, 'off', true)
  FROM unnest(ARRAY['enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin']) AS name`;

const PAGE = 100;

/** Two statements a page: one for each row would be a round trip for each. */
async function rewriteTable(
  run: Run,
  schema: string,
  { threadId, table }: { readonly threadId: string; readonly table: Table },
): Promise<void> {
  const { name, key, column } = table;
  const from = `${schema}.${name}`;
  const order = `ORDER BY ${key} LIMIT ${PAGE} FOR UPDATE`;
  const keys = NUMBERED.has(key) ? 'bigint[]' : 'text[]';
  let rows = await run(`SELECT * FROM ${from} WHERE thread = $1 ${order}`, [threadId]);
  while (rows.length > 0) {
    const texts = rows.map((row) => table.textOf(row) ?? null);
    await run(
      `UPDATE ${from} AS t SET ${column} = n.text
       FROM unnest($2::${keys}, $3::text[]) AS n (key, text)
       WHERE t.thread = $1 AND t.${key} = n.key AND n.text <> t.${column}`,
      [threadId, rows.map((row) => keyOf(row, key)), texts],
    );
    rows = await run(`SELECT * FROM ${from} WHERE thread = $1 AND ${key} > $2 ${order}`, [
      threadId,
      keyOf(rows.at(-1), key),
    ]);
  }
}

const NUMBERED: ReadonlySet<string> = new Set(['position', 'seq']);

function keyOf(row: Row | undefined, key: string): string | number {
  return row?.[key] as string | number; // As the column says.
}
