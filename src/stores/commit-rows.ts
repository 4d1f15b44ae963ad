import { LedgerMismatchError, ThreadConflictError } from '../errors/store-error.ts';
import { jsonText } from './json-text.ts';
import { requireKey } from './key.ts';
import type { LedgerEntry, ThreadChanges } from './port.ts';

/** The changes of a commit as they are stored: texts, each key once, and as the last of a key leaves it. */
export interface CommitRows {
  readonly state: string;
  readonly messages: readonly string[];
  readonly events: readonly (readonly [seq: number, json: string])[];
  readonly ledger: readonly (readonly [entry: LedgerEntry, result: string | null])[];
  readonly approvals: readonly (readonly [id: string, status: string, json: string])[];
  readonly memory: readonly (readonly [policy: string, json: string])[];
  readonly artifacts: readonly (readonly [id: string, json: string])[];
}

/**
 * Made before a store takes a lock or opens a transaction. Throws for what no store could take, whatever it holds:
 * keys that could meet, events out of order, one call with two inputs, values that are no JSON.
 */
export function commitRows(threadId: string, changes: ThreadChanges): CommitRows {
  return {
    state: jsonText(changes.state, 'state of a commit'),
    messages: changes.messages.map((message) => jsonText(message, 'message of a commit')),
    events: eventRows(threadId, changes),
    ledger: ledgerRows(threadId, changes),
    approvals: lastOfEach(changes.approvals, (approval) => [
      requireKey(approval.approvalId, 'approval id'),
      approval.status,
      jsonText(approval, 'approval of a commit'),
    ]),
    memory: Object.entries(changes.memory).map(([policy, value]) => [
      requireKey(policy, 'policy name'),
      jsonText(value, 'memory of a policy'),
    ]),
    artifacts: lastOfEach(changes.artifacts, (artifact) => [
      requireKey(artifact.artifactId, 'artifact id'),
      jsonText(artifact, 'artifact of a commit'),
    ]),
  };
}

/** That the first one is above the last one stored is for the store to see. */
function eventRows(threadId: string, { events }: ThreadChanges): CommitRows['events'] {
  let last = 0;
  return events.map((event) => {
    const { seq } = event;
    if (!(Number.isSafeInteger(seq) && seq > last)) throw notNew(threadId);
    last = seq;
    return [seq, jsonText(event, 'event of a commit')];
  });
}

export function notNew(threadId: string): ThreadConflictError {
  return new ThreadConflictError(threadId, 'an event number is not new');
}

/** The first outcome stays: what really happened is not replaced by what a turn believed later. */
function ledgerRows(threadId: string, { ledger }: ThreadChanges): CommitRows['ledger'] {
  const byCall = new Map<string, LedgerEntry>();
  for (const entry of ledger) {
    const callId = requireKey(entry.callId, 'call id');
    const known = byCall.get(callId);
    requireKey(entry.inputDigest, 'digest of an input');
    if (known !== undefined && known.inputDigest !== entry.inputDigest) {
      throw new LedgerMismatchError(threadId, callId);
    }
    if (known?.status !== 'finished') byCall.set(callId, entry);
  }
  return [...byCall.values()].map((entry) => {
    const { result } = entry;
    return [entry, result === undefined ? null : jsonText(result, 'result of a call')];
  });
}

function lastOfEach<T, R extends readonly [string, ...string[]]>(
  values: readonly T[],
  toRow: (value: T) => R,
): readonly R[] {
  if (values.length < 2) return values.map(toRow);
  return [...new Map(values.map(toRow).map((row) => [row[0], row])).values()];
}
