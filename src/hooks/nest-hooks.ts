import type { EventType } from '../events/event.ts';
import type { HookPoint } from './agent-hooks.ts';
import type { CompiledHooks } from './compile.ts';
import type { HookEntry } from './entry.ts';
import { HOOK_POINTS } from './points.ts';

/**
 * The policies of a subagent's run: all of those above it first, whatever `order` its own ask for. Its own are named
 * after it, as in `research/limit`, so that the two are told apart in every record. One that both agents were given
 * as the same object, with nothing put around it, is asked once, in the place of the outer.
 */
export function nestHooks(
  outer: CompiledHooks,
  inner: CompiledHooks,
  agent: string,
): CompiledHooks {
  const taken = new Set(outer.policies);
  const nameOf = (policy: string): string => {
    let name = `${agent}/${policy}`;
    while (taken.has(name)) name = `${agent}/${name}`;
    return name;
  };
  const own = (above: readonly HookEntry[], below: readonly HookEntry[]): readonly HookEntry[] =>
    below
      .filter(({ source }) => source === undefined || above.every((one) => one.source !== source))
      .map((entry) => Object.freeze({ ...entry, policy: nameOf(entry.policy) }));
  const entries: { [Point in HookPoint]?: readonly HookEntry[] } = {};
  for (const point of HOOK_POINTS) {
    const [above = [], below = []] = [outer.entries[point], inner.entries[point]];
    if (above.length + below.length === 0) continue;
    // A result is seen by the last policy first, so that the first one has the last word.
    entries[point] = Object.freeze(
      point === 'postToolUse' ? [...own(above, below), ...above] : [...above, ...own(above, below)],
    );
  }
  const observers: { [Type in EventType]?: readonly HookEntry[] } = { ...outer.observers };
  for (const [type, below] of Object.entries(inner.observers) as [EventType, HookEntry[]][]) {
    const above = outer.observers[type] ?? [];
    observers[type] = Object.freeze([...above, ...own(above, below)]);
  }
  return Object.freeze({
    entries: Object.freeze(entries),
    observers: Object.freeze(observers),
    has: (point: HookPoint) => entries[point] !== undefined,
    holdsStream: outer.holdsStream || inner.holdsStream,
    releasesText: outer.releasesText || inner.releasesText,
    policies: Object.freeze([...outer.policies, ...inner.policies.map(nameOf)]),
  });
}
