import type { SideEffects, ToolResult } from '../protocol/tool.ts';

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

export const UNKNOWN: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output:
    'Outcome unknown: the call may have been carried out. Do not repeat it before that has been checked',
});

/** What `tool.failed` tells of why. Of an unknown outcome nobody has said anything, and it is the one to look at. */
export function toldReason(
  { outcome }: ToolResult,
  said?: string,
): { readonly reason: string } | undefined {
  if (said !== undefined) return { reason: said };
  return outcome === 'unknown' ? { reason: NOBODY_KNOWS } : undefined;
}

const NOBODY_KNOWS = 'nobody knows whether it was carried out: check that before it is repeated';

/**
 * The answer to a call that is not run now, as nothing says that an earlier process has not run it. What only reads may
 * have run or not; for one that must not run twice, the ledger has answered.
 */
export function notRunNow(
  answer: ToolResult,
  { sideEffects }: { readonly sideEffects: SideEffects },
  { attempt }: { readonly attempt: number },
): ToolResult {
  return attempt > 1 && sideEffects === 'idempotent' ? UNKNOWN : answer;
}
