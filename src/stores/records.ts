import { CorruptRecordError } from '../errors/store-error.ts';
import type { AgentEvent } from '../events/event.ts';
import { EVENT_TYPES } from '../events/pattern.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { Approval, ApprovalStatus } from '../protocol/approval.ts';
import type { Artifact } from '../protocol/artifact.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import { parseMessage } from '../protocol/message-schema.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { LedgerEntry } from './port.ts';

/** One stored record as a driver read it. Its members are checked where they are used. */
export interface Row {
  readonly [column: string]: unknown;
}

/** Where a stored value is, for the error that names it. */
export interface Place {
  /** The kind of record. */
  readonly table: string;
  readonly thread: string;
  /** What finds the row in its table, such as `position 3`. */
  readonly key: string | number;
}

export function readMessage(row: Row, thread: string): Message {
  const place: Place = { table: 'messages', thread, key: `position ${row['position']}` };
  const value = readObject(row['json'], place);
  if (isMessage(value)) return deepFreeze(value);
  const parsed = parseMessage(value);
  throw corrupt(place, 'problem' in parsed ? parsed.problem : 'it is no message');
}

export function readEvent(row: Row, thread: string): AgentEvent {
  const place: Place = { table: 'events', thread, key: `seq ${row['seq']}` };
  const value = readObject(row['json'], place);
  if (!KNOWN_EVENTS.has(value['type'])) throw corrupt(place, 'type: it is no known event');
  if (value['seq'] !== row['seq']) throw corrupt(place, 'seq: it differs from that of the row');
  // Written by a commit of the version that the database is marked with; its type and number were checked.
  return deepFreeze(value) as unknown as AgentEvent;
}

export function readApproval(row: Row): Approval {
  const place: Place = {
    table: 'approvals',
    thread: String(row['thread']),
    key: `id '${row['id']}'`,
  };
  const value = readObject(row['json'], place);
  if (value['approvalId'] !== row['id'])
    throw corrupt(place, 'approvalId: it differs from the row');
  if (!KNOWN_STATUS.has(value['status']) || value['status'] !== row['status']) {
    throw corrupt(place, 'status: it is unknown or differs from the row');
  }
  // As above.
  return deepFreeze(value) as unknown as Approval;
}

export function readArtifactRow(row: Row, thread: string): Artifact {
  const place: Place = { table: 'artifacts', thread, key: `id '${row['id']}'` };
  const value = readObject(row['json'], place);
  if (value['artifactId'] !== row['id'])
    throw corrupt(place, 'artifactId: it differs from the row');
  if (typeof value['text'] !== 'string') throw corrupt(place, 'text: it is no text');
  // As above.
  return deepFreeze(value) as unknown as Artifact;
}

export function readLedgerEntry(row: Row, thread: string): LedgerEntry {
  const place: Place = { table: 'ledger', thread, key: `call '${row['call_id']}'` };
  const { call_id: callId, input_digest: inputDigest, status, at } = row;
  if (typeof callId !== 'string' || typeof inputDigest !== 'string' || typeof at !== 'number') {
    throw corrupt(place, 'a column has the wrong type');
  }
  if (status !== 'intended' && status !== 'finished') throw corrupt(place, 'status: it is unknown');
  return deepFreeze({
    callId,
    inputDigest,
    status,
    ...(row['result'] !== null && { result: readResult(row['result'], place) }),
    ...(row['late'] === 1 && { late: true as const }),
    at,
  });
}

/** Parses a column that holds a JSON object. The cause is left out on purpose: it quotes the text. */
export function readObject(text: unknown, place: Place): JsonObject {
  if (typeof text !== 'string') throw corrupt(place, 'it is no text');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw corrupt(place, 'it is no JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // JSON.parse makes nothing but JSON.
    return value as JsonObject;
  }
  throw corrupt(place, 'it is no JSON object');
}

export interface ListedThread {
  readonly threadId: string;
  readonly version: number;
}

export function readListedThread({ id, version }: Row): ListedThread {
  const threadId = String(id);
  const place: Place = { table: 'threads', thread: threadId, key: 'version' };
  return { threadId, version: readNumber(version, place) };
}

/** A column that holds a whole number. */
export function readNumber(value: unknown, place: Place): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw corrupt(place, 'it is no whole number');
}

function readResult(text: unknown, place: Place): ToolResult {
  const value = readObject(text, place);
  if (typeof value['outcome'] !== 'string' || !('output' in value)) {
    throw corrupt(place, 'result: it is no result of a tool');
  }
  // As above.
  return value as unknown as ToolResult;
}

function corrupt(place: Place, what: string): CorruptRecordError {
  return new CorruptRecordError(
    place.thread,
    `record of '${place.table}', thread '${place.thread}', ${place.key}`,
    what,
  );
}

/** Looks at the discriminants only, as every turn reads its history; the schema then names what is wrong. */
function isMessage(value: unknown): value is Message {
  const { role, content } = value as { role?: unknown; content?: unknown };
  if (role === 'system') return typeof content === 'string';
  const types = PART_TYPES.get(role);
  if (types === undefined || !Array.isArray(content)) return false;
  return content.every((part: unknown) => {
    return typeof part === 'object' && part !== null && 'type' in part && types.has(part.type);
  });
}

const PART_TYPES: ReadonlyMap<unknown, ReadonlySet<unknown>> = new Map([
  ['user', new Set(['text', 'file'])],
  ['assistant', new Set(['text', 'reasoning', 'file', 'tool-call'])],
  ['tool', new Set(['tool-result'])],
]);

const KNOWN_EVENTS: ReadonlySet<unknown> = new Set(EVENT_TYPES);

const STATUSES: Record<ApprovalStatus, true> = {
  open: true,
  approved: true,
  denied: true,
  expired: true,
  superseded: true,
};
const KNOWN_STATUS: ReadonlySet<unknown> = new Set(Object.keys(STATUSES));
