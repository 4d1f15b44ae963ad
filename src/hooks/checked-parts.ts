import { ConfigError } from '../errors/config-error.ts';
import { checkPolicies } from './check-policies.ts';
import type { Part } from './plan.ts';
import { refuse } from './report.ts';

/**
 * The parts of policies that are about to be combined, checked as an agent checks them. `by` names the function
 * that combines them.
 */
export function checkedParts(by: string, policies: readonly unknown[]): readonly Part[] {
  if (policies.length === 0) {
    throw new ConfigError('no-hooks', {
      where: by,
      what: 'was given no policy',
      fix: 'Give it at least one',
    });
  }
  const placeOf = (index: number): string =>
    policies.length === 1 ? `${by}: the policy` : `${by}: policy ${index + 1}`;
  return checkPolicies(policies, placeOf, refuse).map(({ part }) => part);
}
