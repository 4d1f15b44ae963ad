import type { EventType } from '../events/event.ts';
import { matchEvents } from '../events/pattern.ts';
import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import { checkPolicies, type NamedPolicy } from './check-policies.ts';
import type { HookEntry } from './entry.ts';
import { limitCall } from './limit-call.ts';
import { type Part, pointsOf } from './plan.ts';
import { HOOK_POINTS, POINTS } from './points.ts';
import { refuse } from './report.ts';

/** Whose time limits count where a policy sets none: 5 s for a decision, or half a second while someone listens. */
export type TimeoutProfile = 'default' | 'voice';

/** The policies of one agent, checked, named, ordered and looked up. Frozen; shared by all runs. */
export interface CompiledHooks {
  /** In the order of asking; a point nobody implements is absent. */
  readonly entries: { readonly [Point in HookPoint]?: readonly HookEntry[] };
  /** Whose `onEvent` hears which event. */
  readonly observers: { readonly [Type in EventType]?: readonly HookEntry[] };
  readonly has: (point: HookPoint) => boolean;
  /** True when a policy could take back what a live stream has shown. */
  readonly holdsStream: boolean;
  /** True when a policy can let text go as it grows. */
  readonly releasesText: boolean;
  /** The effective names, in the order of asking. */
  readonly policies: readonly string[];
}

/**
 * Checks a list of policies and prepares it for asking. Everything is read once: a later change of the list,
 * or of a policy's name, order, options or methods, has no effect.
 *
 * Throws `ConfigError` for an object that is no policy, a misspelled hook, a bad option, two policies of one
 * name, and a hook at a point that this version does not ask.
 */
export function compileHooks(
  hooks: readonly AgentHooks<never>[],
  profile: TimeoutProfile,
): CompiledHooks {
  const named = inOrder(checkPolicies(hooks, (index) => `hooks[${index}]`, refuse));
  const entries: { [Point in HookPoint]?: HookEntry[] } = {};
  for (const one of named) {
    for (const point of pointsOf(one.part)) {
      entries[point] ??= [];
      entries[point].push(entryOf(one, point, profile));
    }
  }
  // The last policy sees a result first, so that the first one has the last word.
  entries.postToolUse?.reverse();
  for (const list of Object.values(entries)) Object.freeze(list);
  return Object.freeze({
    entries: Object.freeze(entries),
    observers: observersOf(named, entries.onEvent ?? []),
    has: (point: HookPoint) => entries[point] !== undefined,
    holdsStream: HOOK_POINTS.some(
      (point) => POINTS[point].holdsStream && entries[point]?.some(({ shadow }) => !shadow),
    ),
    releasesText: entries.onTextWindow?.some(({ shadow }) => !shadow) ?? false,
    policies: Object.freeze(named.map(({ name }) => name.name)),
  });
}

function inOrder(policies: readonly NamedPolicy[]): readonly NamedPolicy[] {
  const rank = ({ hooks: { order } }: NamedPolicy): number =>
    order === 'first' ? 0 : order === 'last' ? 2 : 1;
  return policies.toSorted((a, b) => rank(a) - rank(b));
}

function entryOf(
  { hooks, part, name, version }: NamedPolicy,
  point: HookPoint,
  profile: TimeoutProfile,
): HookEntry {
  const { limits, shadow = false, beside } = part;
  const row = POINTS[point];
  const options = hooks.options?.[point];
  // Whoever asks gives the arguments of the point, which is why one type is enough for all methods.
  const method = hooks[point] as HookEntry['call'];
  return Object.freeze({
    policy: name.name,
    version,
    namedBy: name.by,
    call: limitCall(point, method.bind(hooks), limits),
    codec: row.codec,
    timeoutMs:
      part.timeoutMs ??
      options?.timeoutMs ??
      (profile === 'voice' ? row.voiceTimeoutMs : row.timeoutMs),
    failure: part.failure ?? options?.failure ?? row.failure,
    mustDecide: options?.mustDecide ?? false,
    shadow,
    source: isBare(part) ? hooks : undefined,
    beside,
  });
}

function isBare({ limits, points, shadow, failure, timeoutMs }: Part): boolean {
  const isChanged = shadow ?? failure ?? timeoutMs ?? points;
  return limits.length === 0 && isChanged === undefined;
}

function observersOf(
  named: readonly NamedPolicy[],
  watching: readonly HookEntry[],
): CompiledHooks['observers'] {
  const observers: { [Type in EventType]?: readonly HookEntry[] } = {};
  for (const entry of watching) {
    const patterns = named.find(({ name }) => name.name === entry.policy)?.hooks.events ?? ['*'];
    const types = new Set(
      patterns.flatMap((pattern) => matchEvents(pattern, `policy '${entry.policy}'`)),
    );
    for (const type of types) observers[type] = [...(observers[type] ?? []), entry];
  }
  for (const list of Object.values(observers)) Object.freeze(list);
  return Object.freeze(observers);
}
