import type { ToolResult } from '../protocol/tool.ts';
import type { LedgerEntry } from '../stores/port.ts';
import type { BatchCall } from './state.ts';

export const CANCELLED: ToolResult = Object.freeze({
  outcome: 'cancelled',
  isError: true,
  output: 'Cancelled by user',
});

export const NOT_STARTED: ToolResult = Object.freeze({
  outcome: 'not-executed',
  isError: true,
  output: 'Not executed: the outcome of a call before it could not be stored',
});

/** What the ledger says of a call that an earlier process may have run; nothing of one that process never started. */
export function knownOutcome(
  call: BatchCall,
  run: { readonly recovering: boolean; readonly ledger: ReadonlyMap<string, LedgerEntry> },
): ToolResult | undefined {
  // What the host was handed is a phase of its own; before that nothing of it has happened.
  if (!run.recovering || call.sideEffects !== 'once' || call.isHost === true) return undefined;
  const entry = run.ledger.get(call.callId);
  if (entry === undefined) return undefined;
  if (entry.inputDigest !== call.inputDigest) return UNKNOWN;
  return entry.result ?? UNKNOWN;
}

const UNKNOWN: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output:
    'Outcome unknown: the call may have been carried out. Do not repeat it before that has been checked',
});
