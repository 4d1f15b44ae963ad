import { ConfigError } from '../errors/config-error.ts';
import { matchEvents } from '../events/pattern.ts';
import { nearestName } from '../internal/nearest-name.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { checkHookOptions } from './check-options.ts';
import { HOOK_POINTS, implementedPoints, isHookPoint, POINTS } from './points.ts';
import { Policy } from './policy.ts';

/**
 * Refuses everything that would make a policy do less than it says: what TypeScript refuses too, for those
 * who do not use it, and what it cannot see. `where` is the place of the object in the list.
 */
export function checkPolicy(value: unknown, where: string): AgentHooks<never> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError('no-hooks', {
      where,
      what:
        typeof value === 'function' ? 'is a function or a class, not a policy' : 'is not a policy',
      fix:
        typeof value === 'function'
          ? 'Pass an instance: `new MyPolicy()`'
          : 'Pass an object with hooks',
    });
  }
  // Every member is checked below before anyone uses it.
  const hooks = value as AgentHooks<never>;
  const named = typeof hooks.name === 'string' ? `${where} ('${hooks.name}')` : where;
  checkMembers(hooks, named);
  checkFields(hooks, named);
  checkHookOptions(hooks.options, named);
  for (const pattern of hooks.events ?? []) matchEvents(pattern, `${named}.events`);
  return hooks;
}

function checkMembers(hooks: AgentHooks<never>, where: string): void {
  for (const name of functionNames(hooks)) {
    const meant = misspelled(name);
    if (meant === undefined) continue;
    throw new ConfigError('unknown-hook', {
      where,
      what: `has a method '${name}', which is no hook and would never be called`,
      fix: `Did you mean '${meant}'? If not, give the method a name less like it`,
    });
  }
  for (const point of HOOK_POINTS) {
    const member: unknown = hooks[point];
    if (member === undefined || typeof member === 'function') continue;
    throw invalid(where, `has a member '${point}' that is not a function`, 'Write it as a method');
  }
  const points = implementedPoints(hooks);
  if (points.length === 0) {
    throw new ConfigError('no-hooks', {
      where,
      what: 'implements no hook',
      fix: `Implement one of: ${HOOK_POINTS.join(', ')}`,
    });
  }
  if (isAsync(hooks.systemPrompt)) {
    throw invalid(
      where,
      'has an async `systemPrompt`, which is synchronous',
      'Do slow work in `preLlmRequest`',
    );
  }
  const notAsked = points.find((point) => !POINTS[point].enforced);
  if (notAsked === undefined) return;
  throw new ConfigError('not-enforced', {
    where,
    what: `implements '${notAsked}', and this version does not ask this point yet`,
    fix: 'Remove the method: a policy is refused rather than silently ignored',
  });
}

function checkFields({ name, version, order, events }: AgentHooks<never>, where: string): void {
  if (!isAbsentOrText(name))
    throw invalid(where, 'has a `name` that is no text', 'Use a short, stable name');
  if (!isAbsentOrText(version))
    throw invalid(where, 'has a `version` that is no text', "Use a text such as '2'");
  if (order !== undefined && order !== 'first' && order !== 'last') {
    throw invalid(where, 'has an unknown `order`', "Use 'first' or 'last', or leave it out");
  }
  if (events === undefined) return;
  if (!Array.isArray(events) || events.some((pattern) => typeof pattern !== 'string')) {
    throw invalid(
      where,
      'has `events` that are no list of patterns',
      "Use a list such as ['tool.*']",
    );
  }
}

/** The functions an object has or inherits, up to what every object and every policy inherits. */
function functionNames(hooks: object): readonly string[] {
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

/** The hook that a method was most likely meant to be; `undefined` for a hook and for any other method. */
function misspelled(name: string): string | undefined {
  if (isHookPoint(name)) return undefined;
  // `pre_tool_use` and `pretooluse` are the same words, as other languages write them.
  const words = name.replace(/(?!^)_/g, '').toLowerCase();
  const same = HOOK_POINTS.find((point) => point.toLowerCase() === words);
  if (same !== undefined) return same;
  if (/^(on|pre|post|wrap|before|after|modify)[A-Z]/.test(name)) {
    const ours = name
      .replace(/^before/, 'pre')
      .replace(/^after/, 'post')
      .replace(/^modify/, 'on');
    return nearestName(ours, HOOK_POINTS) ?? HOOK_POINTS.find((point) => startsLike(ours, point));
  }
  const isAsLong = Math.abs(name.length - 'systemPrompt'.length) <= 2;
  return isAsLong ? nearestName(name, ['systemPrompt']) : undefined;
}

/** `preToolCall` is too far from `preToolUse` for a slip of the finger, and still means nothing else. */
function startsLike(name: string, point: string): boolean {
  const start = /^(?:pre|post|wrap)[A-Z][a-z]+/.exec(point)?.[0];
  return start !== undefined && name.startsWith(start);
}

function isAsync(method: unknown): boolean {
  return Object.prototype.toString.call(method) === '[object AsyncFunction]';
}

function isAbsentOrText(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() !== '');
}

function invalid(where: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where, what, fix });
}
