import type { ConfigProblem } from '../errors/config-error.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { checkPolicy } from './check-policy.ts';
import { type Part, partsOf } from './plan.ts';
import { checkName, namePolicy, type PolicyName } from './policy-name.ts';

/** A policy that can be read, and what it is called. */
export interface NamedPolicy {
  readonly hooks: AgentHooks<never>;
  readonly part: Part;
  readonly name: PolicyName;
  readonly version: string | undefined;
  readonly index: number;
}

/** As `Report`, with the place in the list of the policy it is about. */
export type ReportAt = (problem: ConfigProblem, index?: number) => void;

/**
 * Every check that a list of policies goes through before an agent is built of it. Answers what can be read as
 * a policy, in the order of the list.
 */
export function checkPolicies(
  hooks: unknown,
  placeOf: (index: number) => string,
  report: ReportAt,
): readonly NamedPolicy[] {
  if (!Array.isArray(hooks)) {
    report({
      code: 'invalid-option',
      where: 'hooks',
      what: 'is not a list of policies',
      fix: 'Pass an array, such as `hooks: [new MyPolicy()]`',
    });
    return [];
  }
  const policies: NamedPolicy[] = [];
  let position = 0;
  // By index, as a hole in a list is a mistake too.
  for (let index = 0; index < hooks.length; index += 1) {
    const say = (problem: ConfigProblem): void => report(problem, index);
    // A combined policy stands for those it is made of, in its place.
    for (const part of partsOf(hooks[index])) {
      const place = { index, position, where: placeOf(index), say };
      const policy = readPolicy(part, place);
      if (policy !== undefined) policies.push(policy);
      position += 1;
    }
  }
  checkDuplicates(policies, placeOf, report);
  return policies;
}

interface Place {
  readonly index: number;
  /** Its place among all policies, those in groups counted one by one. */
  readonly position: number;
  readonly where: string;
  readonly say: (problem: ConfigProblem) => void;
}

function readPolicy(part: Part, { index, position, where, say }: Place): NamedPolicy | undefined {
  const refused: ConfigProblem[] = [];
  let policy: NamedPolicy | undefined;
  try {
    const hooks = checkPolicy(part.hooks, where, (problem) => void refused.push(problem));
    if (hooks !== undefined) {
      const name = namePolicy(hooks, position, part.groups);
      policy = { hooks, part, name, version: hooks.version, index };
      checkName(policy.name, where, (problem) => void refused.push(problem));
    }
  } catch {
    // Only a member of the policy can have thrown: a getter, or a trap of a proxy.
    refused.push({
      code: 'unreadable-policy',
      where,
      what: 'throws when its members are read',
      fix: 'Write hooks as methods, and everything else as plain fields',
    });
  }
  for (const problem of refused) say(problem);
  return policy;
}

/** Two policies of one name could not be told apart in any record. */
function checkDuplicates(
  policies: readonly NamedPolicy[],
  placeOf: (index: number) => string,
  report: ReportAt,
): void {
  const seen = new Map<string, NamedPolicy>();
  for (const one of policies) {
    const other = seen.get(one.name.name);
    if (other === undefined) {
      seen.set(one.name.name, one);
      continue;
    }
    const problem: ConfigProblem = {
      code: 'duplicate-policy',
      where:
        other.index === one.index
          ? `two policies of ${placeOf(one.index)}`
          : `${placeOf(other.index)} and ${placeOf(one.index)}`,
      what: `both are called '${one.name.name}'`,
      fix: 'Give each a `name` of its own',
      member: 'name',
    };
    report(problem, one.index);
  }
}
