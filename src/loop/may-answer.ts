import type { ApprovalRequirement } from '../protocol/approval.ts';

/** Whether a policy's wish can be met by this person. */
export function mayAnswer(
  { approvers }: Pick<ApprovalRequirement, 'approvers'>,
  by: string,
): boolean {
  return approvers === undefined || approvers.includes(by);
}
