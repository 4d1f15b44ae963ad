import type { BatchCall } from './state.ts';
import type { ThreadDigest } from './thread-digest.ts';

/**
 * What an approval and the ledger are bound to: the tool, the input as it is shown, and which arguments are locked. What
 * those hold is in no digest that leaves the state.
 */
export function inputDigestOf(
  digest: ThreadDigest,
  { toolName, effectiveInput: input, locks }: BatchCall,
): string {
  return digest.of(
    locks === undefined ? { toolName, input } : { toolName, input, locked: locks.names },
  );
}
