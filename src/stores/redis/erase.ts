import { randomUUID } from 'node:crypto';
import { ThreadConflictError } from '../../errors/store-error.ts';
import { jsonText } from '../json-text.ts';
import type { LedgerEntry, ThreadRewrite } from '../port.ts';
import {
  readApproval,
  readArtifactRow,
  readEvent,
  readLedgerEntry,
  readMessage,
  readObject,
} from '../records.ts';
import { checkedRewrite } from '../rewrite.ts';
import { member } from './approvals.ts';
import type { RedisConnection } from './connection.ts';
import { lost } from './leases.ts';
import { approvalRow, ledgerRow, ledgerValue } from './records.ts';
import { DELETE, READ_ALL, REWRITE } from './scripts.ts';

/** The number of the claims stays. What points to the thread from elsewhere goes last, as it came first. */
export async function deleteThread(
  connection: RedisConnection,
  threadId: string,
  token: number,
): Promise<void> {
  const { keys } = connection;
  const ids = await connection.callOf(threadId, 'HKEYS', [keys.of(threadId).approvals]);
  const said = await connection.run({
    script: DELETE,
    threadId,
    keys: allKeys(connection, threadId),
    args: [token],
  });
  if (said !== 'done') throw lost(threadId);
  await connection.call('ZREM', [keys.threads, threadId]);
  // Whoever was slow here may have taken one from the list that has begun anew meanwhile.
  const version = await connection.callOf(threadId, 'HGET', [keys.of(threadId).thread, 'version']);
  if (version !== null) await connection.call('ZADD', [keys.threads, 0, threadId]);
  for (const id of listOf(ids).map(String)) {
    await connection.call('ZREM', [keys.open, member(id, threadId)]);
    await connection.call('DEL', [keys.approval(id)]);
  }
}

export interface Rewrite {
  readonly threadId: string;
  readonly token: number;
  readonly expectedVersion: number;
  readonly rewrite: ThreadRewrite;
}

/** Read as of one moment, and put in one script, which refuses when anything was written between. */
export async function rewriteThread(connection: RedisConnection, request: Rewrite): Promise<void> {
  const { threadId, token, expectedVersion } = request;
  const to = checkedRewrite(request.rewrite);
  const keys = allKeys(connection, threadId);
  const args = [token, expectedVersion];
  const found = await connection.run({ script: READ_ALL, threadId, keys, args });
  if (!Array.isArray(found)) throw refusal(threadId, found);
  const kinds = rewritten(threadId, found, to);
  const said = await connection.run({
    script: REWRITE,
    threadId,
    keys,
    args: [...args, randomUUID(), ...kinds.map(({ length }) => length), ...kinds.flat()],
  });
  if (said !== 'done') throw refusal(threadId, said);
}

function refusal(threadId: string, said: unknown): ThreadConflictError {
  return said === 'claim' ? lost(threadId) : new ThreadConflictError(threadId);
}

/** State, messages, ids and texts of events, and names and values of ledger (old and new), approvals, memory, artifacts. */
function rewritten(
  thread: string,
  found: readonly unknown[],
  to: ThreadRewrite,
): readonly (readonly string[])[] {
  const [state, messages, events, ledger, approvals, memory, artifacts] = found;
  const text = (value: unknown): string => jsonText(value, 'record of a rewrite');
  const place = (table: string, key: string) => ({ table, thread, key });
  return [
    [text(to.state(readObject(state, place('thread', 'state'))))],
    listOf(messages).map((json, at) =>
      text(to.message(readMessage({ position: at + 1, json }, thread))),
    ),
    listOf(events).flatMap((entry) => {
      const [id, fields] = listOf(entry);
      const row = { seq: Number.parseInt(String(id), 10), json: listOf(fields)[1] };
      return [String(id), text(to.event(readEvent(row, thread)))];
    }),
    pairs(ledger).flatMap(([callId, value]) => {
      const entry = readLedgerEntry(ledgerRow(callId, value), thread);
      return [callId, value, rewrittenEntry(entry, to)];
    }),
    pairs(approvals).flatMap(([id, value]) => {
      const approval = to.approval(readApproval(approvalRow(thread, id, value)));
      return [id, `${approval.status}\0${text(approval)}`];
    }),
    pairs(memory).flatMap(([policy, json]) => {
      const value = readObject(json, place('memory', `policy '${policy}'`));
      return [policy, text(to.memory(value, policy))];
    }),
    pairs(artifacts).flatMap(([id, json]) => [
      id,
      text(to.artifact(readArtifactRow({ id, json }, thread))),
    ]),
  ];
}

function rewrittenEntry(entry: LedgerEntry, to: ThreadRewrite): string {
  const { result } = entry;
  const json = result && jsonText(to.result(result), 'result of a rewrite');
  return ledgerValue(entry, json ?? null);
}

function allKeys(connection: RedisConnection, threadId: string): readonly string[] {
  const keys = connection.keys.of(threadId);
  return [
    keys.thread,
    keys.messages,
    keys.events,
    keys.ledger,
    keys.approvals,
    keys.open,
    keys.memory,
    keys.artifacts,
  ];
}

/** The server gives a hash as names and values in turn. */
function pairs(flat: unknown): readonly (readonly [string, string])[] {
  const all = listOf(flat).map(String);
  return Array.from({ length: all.length / 2 }, (_, at) => [
    all[2 * at] ?? '',
    all[2 * at + 1] ?? '',
  ]);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
