import type { ConfigCode } from '../errors/config-error.ts';
import { patternProblem } from '../events/pattern.ts';
import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import { checkHookOptions } from './check-options.ts';
import { intendedHook } from './intended-hook.ts';
import { HOOK_POINTS, implementedPoints, POINTS } from './points.ts';
import { defineHooks, Policy } from './policy.ts';
import { type Report, refuse } from './report.ts';
import { isStandIn } from './stand-in.ts';

/**
 * Reports everything that would make a policy do less than it says: what TypeScript refuses too, for those
 * who do not use it, and what it cannot see. `where` is the place of the object in the list. Answers nothing
 * where there is no policy at all. Default: the first mistake is thrown.
 */
export function checkPolicy(
  value: unknown,
  where: string,
  report: Report = refuse,
): AgentHooks<never> | undefined {
  if (typeof value === 'function') {
    const [what, fix] = uncalled(value);
    report({ code: 'uncalled-factory', where, what, fix });
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report({ code: 'no-hooks', where, what: 'is not a policy', fix: 'Pass an object with hooks' });
    return undefined;
  }
  if (isPromise(value)) {
    report({ code: 'no-hooks', where, what: 'is a promise, not a policy', fix: 'Await it first' });
    return undefined;
  }
  // Every member is checked below before anyone uses it.
  const hooks = value as AgentHooks<never>;
  const named = typeof hooks.name === 'string' ? `${where} ('${hooks.name}')` : where;
  const found: Found = { hooks, where: named, report };
  checkMembers(found);
  checkFields(found);
  checkHookOptions(hooks.options, named, report);
  checkEvents(found);
  return hooks;
}

interface Found {
  readonly hooks: AgentHooks<never>;
  readonly where: string;
  readonly report: Report;
}

function checkMembers(found: Found): void {
  const misspelled = checkSpelling(found);
  for (const point of HOOK_POINTS) checkHook(found, point);
  const isMeantAsPolicy =
    misspelled > 0 || HOOK_POINTS.some((point) => found.hooks[point] !== undefined);
  if (!isMeantAsPolicy) {
    found.report({
      code: 'no-hooks',
      where: found.where,
      what: 'implements no hook',
      fix: `Implement one of: ${HOOK_POINTS.join(', ')}`,
    });
  }
  const points = implementedPoints(found.hooks);
  for (const point of points) checkNeeds(found, point);
  for (const point of points) {
    if (POINTS[point].enforced) continue;
    say(found, 'not-enforced', {
      what: `implements '${point}', and this version does not ask this point yet`,
      fix: 'Remove the method: a policy is refused rather than silently ignored',
      member: point,
    });
  }
}

/** How many methods were meant to be hooks and are none. */
function checkSpelling(found: Found): number {
  let misspelled = 0;
  for (const name of functionNames(found.hooks)) {
    const meant = intendedHook(name);
    if (meant === undefined) continue;
    misspelled += 1;
    say(found, 'unknown-hook', {
      what: `has a method '${name}', which is no hook and would never be called`,
      fix: `Did you mean '${meant}'? If not, give the method a name less like it`,
      member: name,
    });
  }
  return misspelled;
}

function checkHook(found: Found, point: HookPoint): void {
  const member: unknown = found.hooks[point];
  if (member === undefined) return;
  if (typeof member !== 'function') {
    const what = `has a member '${point}' that is not a function`;
    say(found, 'invalid-option', { what, fix: 'Write it as a method', member: point });
  } else if (isStandIn(member)) {
    say(found, 'invalid-option', {
      what: `has the '${point}' of a combined policy, which does nothing in another object`,
      fix: 'Pass the combined policy itself, not a copy of it, made with this same copy of the package',
      member: point,
    });
  } else if (isClass(member) || member === defineHooks) {
    say(found, 'uncalled-factory', {
      what: `has a member '${point}' that is ${isClass(member) ? 'a class' : '`defineHooks`'}, not a hook`,
      fix: 'Write the hook as a method',
      member: point,
    });
  } else if (point === 'systemPrompt' && isAsync(member)) {
    say(found, 'invalid-option', {
      what: 'has an async `systemPrompt`, which is synchronous',
      fix: 'Do slow work in `preLlmRequest`',
      member: point,
    });
  }
}

/** What comes third is never given, so a hook that needs it would work on `undefined`. */
function checkNeeds(found: Found, point: HookPoint): void {
  const needs = found.hooks[point]?.length ?? 0;
  const given = THREE_ARGUMENTS.has(point) ? 3 : 2;
  if (needs <= given) return;
  say(found, 'wrong-arity', {
    what: `has a '${point}' that needs ${needs} arguments, and this point gives ${given}`,
    fix: 'Take what is missing from the payload or `ctx`, or give the parameter a default',
    member: point,
  });
}

const THREE_ARGUMENTS: ReadonlySet<HookPoint> = new Set([
  'wrapLlmCall',
  'wrapToolUse',
  'postToolUse',
]);

function checkFields(found: Found): void {
  const { name, version, order } = found.hooks;
  const invalid = (member: string, what: string, fix: string): void =>
    say(found, 'invalid-option', { what, fix, member });
  if (!isAbsentOrText(name))
    invalid('name', 'has a `name` that is no text', 'Use a short, stable name');
  if (!isAbsentOrText(version))
    invalid('version', 'has a `version` that is no text', "Use a text such as '2'");
  if (order !== undefined && order !== 'first' && order !== 'last')
    invalid('order', 'has an unknown `order`', "Use 'first' or 'last', or leave it out");
}

function checkEvents(found: Found): void {
  const { events } = found.hooks;
  if (events === undefined) return;
  if (!Array.isArray(events) || events.some((pattern) => typeof pattern !== 'string')) {
    say(found, 'invalid-option', {
      what: 'has `events` that are no list of patterns',
      fix: "Use a list such as ['tool.*']",
      member: 'events',
    });
    return;
  }
  for (const pattern of events) {
    const problem = patternProblem(pattern, `${found.where}.events`);
    if (problem !== undefined) found.report({ ...problem, member: 'events' });
  }
}

/** The functions an object has or inherits, up to what every object and every policy inherits. */
export function functionNames(hooks: object): readonly string[] {
  const names = new Set<string>();
  let level: unknown = hooks;
  while (
    typeof level === 'object' &&
    level !== null &&
    level !== Object.prototype &&
    level !== Policy.prototype
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (typeof value === 'function' && name !== 'constructor') names.add(name);
    }
    level = Object.getPrototypeOf(level);
  }
  return [...names];
}

function uncalled(value: object): [what: string, fix: string] {
  return isClass(value)
    ? ['is a class, not a policy', 'Pass an instance: `new MyPolicy()`']
    : [
        'is a function or a class, not a policy',
        'Call it and pass what it gives, or pass an instance: `new MyPolicy()`',
      ];
}

export function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value));
}

function isPromise(value: object): boolean {
  return typeof Reflect.get(value, 'then') === 'function';
}

function isAsync(method: unknown): boolean {
  return Object.prototype.toString.call(method) === '[object AsyncFunction]';
}

function isAbsentOrText(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() !== '');
}

function say(
  { where, report }: Found,
  code: ConfigCode,
  text: { readonly what: string; readonly fix: string; readonly member: string },
): void {
  report({ code, where, ...text });
}
