import type { LedgerEntry } from '../port.ts';
import type { Row } from '../records.ts';

/** Parts that scripts look at stand before the JSON, apart by NUL, which neither keys nor JSON text hold. */
const BETWEEN = '\0';

export function ledgerValue(entry: LedgerEntry, result: string | null): string {
  const late = entry.late === true ? '1' : '0';
  return [entry.status, entry.inputDigest, late, entry.at, result ?? ''].join(BETWEEN);
}

export function ledgerRow(callId: string, value: unknown): Row {
  const [status, digest, late, at, result, ...more] = String(value).split(BETWEEN);
  return {
    call_id: callId,
    // What is not in five parts was not written here.
    input_digest: more.length === 0 && result !== undefined ? digest : null,
    status,
    late: Number(late),
    at: Number(at),
    result: result === '' ? null : result,
  };
}

export function approvalRow(threadId: string, id: string, value: unknown): Row {
  const [status, json] = String(value).split(BETWEEN);
  return { id, thread: threadId, status, json };
}
