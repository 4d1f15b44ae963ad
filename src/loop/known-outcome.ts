import type { ToolResult } from '../protocol/tool.ts';
import type { LedgerEntry } from '../stores/port.ts';
import { UNKNOWN } from './call-outcomes.ts';
import type { BatchCall } from './state.ts';

/** What the ledger says of a call that an earlier process may have run; nothing of one that process never started. */
export function knownOutcome(
  call: BatchCall,
  run: { readonly recovering: boolean; readonly ledger: ReadonlyMap<string, LedgerEntry> },
): ToolResult | undefined {
  // What the host was handed is a phase of its own; before that nothing of it has happened.
  if (!run.recovering || call.sideEffects !== 'once' || call.isHost === true) return undefined;
  if (call.prechecked !== undefined) return undefined;
  const entry = run.ledger.get(call.callId);
  if (entry === undefined) return undefined;
  if (entry.inputDigest !== call.inputDigest) return UNKNOWN;
  return entry.result ?? UNKNOWN;
}
