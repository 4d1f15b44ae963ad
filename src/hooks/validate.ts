import { ConfigError, type ConfigProblem } from '../errors/config-error.ts';
import type { Finding, FindingCode } from '../errors/hook-validation-error.ts';
import { nearestName } from '../internal/nearest-name.ts';
import type { HookPoint } from './agent-hooks.ts';
import { checkPolicies, type NamedPolicy } from './check-policies.ts';
import { pointsOf } from './plan.ts';
import { HOOK_POINTS, POINTS } from './points.ts';

export interface ValidateOptions {
  /** What the agent will be given; `live` is a warning beside a policy that can take text back, and `window` where one of them judges no windows. Default: nothing is assumed. */
  readonly streaming?: 'hold' | 'window' | 'live';
  /** Two policies at one point are an error, `onEvent` excepted. Default: false, as chains are ordered and judged again. */
  readonly oneRewriterPerPoint?: boolean;
  /** A policy without a `name` of its own is an error: it can keep no memory, and its records change with its class. Default: false. */
  readonly requireNames?: boolean;
  /** What to call the policies in findings, in the order of the list. Default: `hooks[0]`, `hooks[1]`. */
  readonly places?: readonly string[];
}

const OPTIONS: readonly (keyof ValidateOptions)[] = [
  'streaming',
  'oneRewriterPerPoint',
  'requireNames',
  'places',
];

/**
 * Everything that is wrong with a list of policies, at once: the mistakes that `createAgent` refuses, under the
 * same codes and in its order, and warnings about what it allows. Runs no hook. Never throws for a bad policy,
 * only a `ConfigError` for a bad option.
 */
export function validateHooks(hooks: unknown, options: ValidateOptions = {}): readonly Finding[] {
  checkOptions(options);
  const placeOf = (index: number): string => options.places?.[index] ?? `hooks[${index}]`;
  const findings: Finding[] = [];
  const add = (finding: Finding): void => void findings.push(Object.freeze(finding));
  const policies = checkPolicies(hooks, placeOf, (problem, index) => add(refused(problem, index)));
  const found: Found = { policies, placeOf, add };
  if (options.oneRewriterPerPoint === true) refuseSecondRewriters(found);
  if (options.requireNames === true) refuseUnnamed(found);
  for (const policy of policies) warnOfOpenPoints(policy, found);
  if (options.streaming === 'live') for (const policy of policies) warnOfLiveText(policy, found);
  if (options.streaming === 'window') warnOfWindows(found);
  return Object.freeze(findings);
}

interface Found {
  readonly policies: readonly NamedPolicy[];
  readonly placeOf: (index: number) => string;
  readonly add: (finding: Finding) => void;
}

function refused({ code, where, what, fix, member }: ConfigProblem, index?: number): Finding {
  return {
    severity: 'error',
    code,
    where,
    what,
    fix,
    ...(index !== undefined && { index }),
    ...(member !== undefined && { member }),
  };
}

/**
 * For a team that wants each moment to be one person's: who rewrites it is then never a question of order. What
 * was put together on purpose, as with `compose`, counts as one.
 */
function refuseSecondRewriters({ policies, placeOf, add }: Found): void {
  for (const point of HOOK_POINTS) {
    if (point === 'onEvent') continue;
    const at = policies.filter(
      ({ part }) => part.shadow !== true && pointsOf(part).includes(point),
    );
    const [first] = at;
    if (first === undefined) continue;
    for (const other of at.filter(({ index }) => index !== first.index)) {
      const where = `${placeOf(first.index)} and ${placeOf(other.index)}`;
      const what = `both implement '${point}', and \`oneRewriterPerPoint\` is set`;
      const fix = 'Keep one, or combine them with `compose`';
      add(about(other, point, { severity: 'error', code: 'duplicate-rewriter', where, what, fix }));
    }
  }
}

function refuseUnnamed({ policies, placeOf, add }: Found): void {
  for (const policy of policies) {
    if (policy.name.by === 'explicit') continue;
    add(
      about(policy, 'name', {
        severity: 'error',
        code: 'unnamed-policy',
        where: `${placeOf(policy.index)} ('${policy.name.name}')`,
        what: 'has no `name` of its own, and `requireNames` is set',
        fix: 'Give it a short, stable `name`',
      }),
    );
  }
}

/** Where a policy can rewrite or refuse. A failure at an open one lets through what it was there to stop. */
const FILTERS: readonly HookPoint[] = [
  'onUserMessage',
  'preLlmRequest',
  'onLlmResponse',
  'postToolUse',
  'onKnowledgeResults',
  'onOutgoingMessage',
];

function warnOfOpenPoints(policy: NamedPolicy, { placeOf, add }: Found): void {
  const { hooks, part } = policy;
  if (part.shadow === true) return;
  for (const point of FILTERS.filter((filter) => pointsOf(part).includes(filter))) {
    const failure = part.failure ?? hooks.options?.[point]?.failure ?? POINTS[point].failure;
    // A point that is not asked lets nothing through either, and is an error already.
    if (failure !== 'open' || !POINTS[point].enforced) continue;
    add(
      about(policy, point, {
        severity: 'warning',
        code: 'open-point',
        where: `${placeOf(policy.index)} ('${policy.name.name}')`,
        what: `leaves '${point}' open: when this policy throws or hangs, what it would have rewritten or refused goes through`,
        fix: `Set \`options: { ${point}: { failure: 'closed' } }\` on a redactor or an access filter`,
      }),
    );
  }
}

function warnOfLiveText(policy: NamedPolicy, { placeOf, add }: Found): void {
  if (policy.part.shadow === true) return;
  const points = pointsOf(policy.part).filter((point) => POINTS[point].holdsStream);
  const [first] = points;
  if (first === undefined) return;
  const names = points.map((point) => `'${point}'`).join(', ');
  add(
    about(policy, first, {
      severity: 'warning',
      code: 'stream-guard',
      where: `${placeOf(policy.index)} ('${policy.name.name}')`,
      what: `can take text back at ${names}, and \`streaming: 'live'\` has shown it by then`,
      fix: "Leave `streaming` out, or set 'hold': text then waits for the verdict",
    }),
  );
}

/** Where text is taken back that windows may have let go. Refusing a tool takes back no text that was judged. */
const AFTER_WINDOWS: readonly HookPoint[] = ['wrapLlmCall', 'onLlmResponse', 'onOutgoingMessage'];

/** Text goes once everyone who judges windows lets it go, so whoever judges none is asked too late. */
function warnOfWindows({ policies, placeOf, add }: Found): void {
  const enforced = policies.filter(({ part }) => part.shadow !== true);
  const judges = ({ part }: NamedPolicy): boolean => pointsOf(part).includes('onTextWindow');
  // Without anyone to judge windows everything is held.
  if (!enforced.some(judges)) return;
  for (const policy of enforced.filter((one) => !judges(one))) {
    const points = pointsOf(policy.part).filter((point) => AFTER_WINDOWS.includes(point));
    const [first] = points;
    if (first === undefined) continue;
    const names = points.map((point) => `'${point}'`).join(', ');
    add(
      about(policy, first, {
        severity: 'warning',
        code: 'stream-guard',
        where: `${placeOf(policy.index)} ('${policy.name.name}')`,
        what: `can take text back at ${names} and has no 'onTextWindow': with \`streaming: 'window'\` other policies have let that text go by then`,
        fix: "Give it `onTextWindow` too, or set 'hold': text then waits for the verdict",
      }),
    );
  }
}

function about(
  { index }: NamedPolicy,
  member: string,
  finding: Finding & { readonly code: FindingCode },
): Finding {
  return { ...finding, index, member };
}

function checkOptions(options: ValidateOptions): void {
  for (const key of Object.keys(options)) {
    if (OPTIONS.some((known) => known === key)) continue;
    const nearest = nearestName(key, OPTIONS);
    throw new ConfigError('unknown-option', {
      where: 'validateHooks',
      what: `there is no option '${key}'`,
      fix:
        nearest === undefined
          ? `The options are: ${OPTIONS.join(', ')}`
          : `Did you mean '${nearest}'?`,
    });
  }
  const { streaming } = options;
  if (streaming === undefined || ['hold', 'window', 'live'].includes(streaming)) return;
  throw new ConfigError('invalid-option', {
    where: 'validateHooks',
    what: 'the option `streaming` has no usable value',
    fix: "Pass 'hold', 'window' or 'live'",
  });
}
