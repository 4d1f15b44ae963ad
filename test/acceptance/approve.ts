import type { ApprovalAnswer, RunResult } from '../../src/index.ts';
import { expectStatus } from './play.ts';

/** The same answer to everything that a result says is open. */
export function answersTo(
  result: RunResult,
  approved: boolean,
  more: { readonly reason?: string; readonly by?: string } = {},
): ApprovalAnswer[] {
  return expectStatus(result, 'awaiting-approval').approvals.map(({ approvalId }) => ({
    approvalId,
    approved,
    by: 'boss',
    ...more,
  }));
}
