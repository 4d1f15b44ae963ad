import type { ApprovalRequirement } from '../protocol/approval.ts';
import type { Grant } from './state.ts';

/** Everybody who has said yes to this policy in this version, and whom it names. */
export function votersOf(granted: readonly Grant[], wanted: ApprovalRequirement): Set<string> {
  const votes = granted.filter(
    ({ policy, version, by }) =>
      policy === wanted.policy && version === wanted.version && mayAnswer(wanted, by),
  );
  return new Set(votes.map(({ by }) => by));
}

/** Whether a policy's wish can be met by this person. */
export function mayAnswer(
  { approvers }: Pick<ApprovalRequirement, 'approvers'>,
  by: string,
): boolean {
  return approvers === undefined || approvers.includes(by);
}
