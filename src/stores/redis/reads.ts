import { CorruptRecordError } from '../../errors/store-error.ts';
import type { AgentEvent } from '../../events/event.ts';
import { deepFreeze } from '../../internal/deep-freeze.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import { leaveOut } from '../page.ts';
import type { LedgerEntry, ListOptions, StoredThread } from '../port.ts';
import {
  readArtifactRow,
  readEvent,
  readLedgerEntry,
  readMessage,
  readNumber,
  readObject,
} from '../records.ts';
import type { RedisConnection } from './connection.ts';
import { ledgerRow } from './records.ts';
import { LOAD } from './scripts.ts';

export interface Page {
  readonly after: number;
  /** `Infinity` for all. */
  readonly limit: number;
}

export async function loadThread(
  connection: RedisConnection,
  threadId: string,
): Promise<StoredThread | undefined> {
  const { thread, messages, memory } = connection.keys.of(threadId);
  const keys = [thread, messages, memory];
  const found = await connection.run({ script: LOAD, threadId, keys });
  if (!Array.isArray(found)) return undefined;
  const [[version, state, messageCount, lastSeq], held, remembered] = found;
  const place = (key: string) => ({ table: 'thread', thread: threadId, key });
  const number = (value: unknown, key: string): number => readNumber(Number(value), place(key));
  const count = number(messageCount, 'messageCount');
  if (count !== Number(held)) throw miscounted(threadId);
  return {
    threadId,
    version: number(version, 'version'),
    state: deepFreeze(readObject(state, place('state'))),
    messageCount: count,
    lastSeq: number(lastSeq, 'lastSeq'),
    memory: readMemory(remembered, threadId),
  };
}

export function miscounted(threadId: string): CorruptRecordError {
  return new CorruptRecordError(
    threadId,
    `record of 'messages', thread '${threadId}'`,
    'there are more or fewer of them than were committed',
  );
}

/** The server gives a hash as names and values in turn. */
function readMemory(
  flat: readonly unknown[],
  thread: string,
): { readonly [policy: string]: JsonObject } {
  const entries: [string, JsonObject][] = [];
  for (let index = 0; index < flat.length; index += 2) {
    const policy = String(flat[index]);
    const place = { table: 'memory', thread, key: `policy '${policy}'` };
    entries.push([policy, readObject(flat[index + 1], place)]);
  }
  // Made from entries, as a policy may have any name, that of a prototype included.
  return deepFreeze(Object.fromEntries(entries));
}

export async function readMessages(
  connection: RedisConnection,
  threadId: string,
  { after, limit }: Page,
): Promise<readonly Message[]> {
  if (limit === 0) return [];
  const { messages } = connection.keys.of(threadId);
  const last = Number.isFinite(limit) ? after + limit - 1 : -1;
  const texts = listOf(await connection.callOf(threadId, 'LRANGE', [messages, after, last]));
  return texts.map((json, index) => readMessage({ position: after + index + 1, json }, threadId));
}

export async function readEvents(
  connection: RedisConnection,
  threadId: string,
  { after, limit }: Page,
): Promise<readonly AgentEvent[]> {
  if (limit === 0) return [];
  const { events } = connection.keys.of(threadId);
  const count = Number.isFinite(limit) ? ['COUNT', limit] : [];
  const range = [events, `${Math.max(after + 1, 0)}-0`, '+', ...count];
  const entries = listOf(await connection.callOf(threadId, 'XRANGE', range));
  return entries.map((entry) => {
    const [id, fields] = listOf(entry);
    return readEvent({ seq: Number.parseInt(String(id), 10), json: listOf(fields)[1] }, threadId);
  });
}

/** In the order they are asked for. */
export async function readLedger(
  connection: RedisConnection,
  threadId: string,
  callIds: readonly string[],
): Promise<readonly LedgerEntry[]> {
  if (callIds.length === 0) return [];
  const { ledger } = connection.keys.of(threadId);
  const asked = [...new Set(callIds)];
  const values = listOf(await connection.callOf(threadId, 'HMGET', [ledger, ...asked]));
  return asked.flatMap((callId, index) => {
    const value = values[index];
    return typeof value === 'string' ? [readLedgerEntry(ledgerRow(callId, value), threadId)] : [];
  });
}

export async function readArtifact(
  connection: RedisConnection,
  threadId: string,
  artifactId: string,
): Promise<Artifact | undefined> {
  const { artifacts } = connection.keys.of(threadId);
  const json = await connection.callOf(threadId, 'HGET', [artifacts, artifactId]);
  return json === null ? undefined : readArtifactRow({ id: artifactId, json }, threadId);
}

/** How many of all threads are looked at at once. */
const PAGE = 200;

/** Reads on until the page is full, as the list may hold threads that were never committed. */
export async function listThreads(
  connection: RedisConnection,
  {
    after,
    limit,
    onDamaged,
  }: {
    readonly after: string | undefined;
    readonly limit: number;
    readonly onDamaged: ListOptions['onDamaged'];
  },
): Promise<readonly { readonly threadId: string; readonly version: number }[]> {
  const threads: { readonly threadId: string; readonly version: number }[] = [];
  let from = after === undefined ? '-' : `(${after}`;
  while (threads.length < limit) {
    const size = Math.min(PAGE, limit);
    const range = [connection.keys.threads, from, '+', 'LIMIT', 0, size];
    const ids = listOf(await connection.call('ZRANGEBYLEX', range)).map(String);
    const versions = await Promise.all(
      ids.map((id) =>
        versionOf(connection, id).catch((error: unknown) => leaveOut(error, onDamaged)),
      ),
    );
    for (const [index, threadId] of ids.entries()) {
      const version = versions[index];
      if (version !== undefined) threads.push({ threadId, version });
    }
    if (ids.length < size) break;
    from = `(${ids.at(-1)}`;
  }
  return threads.slice(0, limit);
}

async function versionOf(
  connection: RedisConnection,
  threadId: string,
): Promise<number | undefined> {
  const { thread } = connection.keys.of(threadId);
  const version = await connection.callOf(threadId, 'HGET', [thread, 'version']);
  if (version === null) return undefined;
  return readNumber(Number(version), { table: 'thread', thread: threadId, key: 'version' });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
