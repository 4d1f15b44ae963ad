import { ConfigError } from '../errors/config-error.ts';
import type { EventType } from '../events/event.ts';
import { matchEvents } from '../events/pattern.ts';
import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import { checkPolicy } from './check-policy.ts';
import type { HookEntry } from './entry.ts';
import { HOOK_POINTS, implementedPoints, POINTS } from './points.ts';
import { namePolicy, type PolicyName, refuseDuplicates } from './policy-name.ts';

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
  /** The effective names, in the order of asking. */
  readonly policies: readonly string[];
}

interface Named {
  readonly hooks: AgentHooks<never>;
  readonly name: PolicyName;
  readonly version: string | undefined;
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
  if (!Array.isArray(hooks)) {
    throw new ConfigError('invalid-option', {
      where: 'hooks',
      what: 'is not a list of policies',
      fix: 'Pass an array, such as `hooks: [new MyPolicy()]`',
    });
  }
  const named = inOrder(hooks.map(prepare));
  refuseDuplicates(named.map(({ name }) => name));
  const entries: { [Point in HookPoint]?: HookEntry[] } = {};
  for (const one of named) {
    for (const point of implementedPoints(one.hooks)) {
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
      (point) => POINTS[point].holdsStream && entries[point] !== undefined,
    ),
    policies: Object.freeze(named.map(({ name }) => name.name)),
  });
}

function prepare(hooks: unknown, index: number): Named {
  const policy = checkPolicy(hooks, `hooks[${index}]`);
  return { hooks: policy, name: namePolicy(policy, index), version: policy.version };
}

function inOrder(policies: readonly Named[]): readonly Named[] {
  const rank = ({ hooks: { order } }: Named): number =>
    order === 'first' ? 0 : order === 'last' ? 2 : 1;
  return policies.toSorted((a, b) => rank(a) - rank(b));
}

function entryOf(
  { hooks, name, version }: Named,
  point: HookPoint,
  profile: TimeoutProfile,
): HookEntry {
  const row = POINTS[point];
  const options = hooks.options?.[point];
  // Whoever asks gives the arguments of the point, which is why one type is enough for all methods.
  const method = hooks[point] as HookEntry['call'];
  return Object.freeze({
    policy: name.name,
    version,
    namedBy: name.by,
    call: method.bind(hooks),
    codec: row.codec,
    timeoutMs: options?.timeoutMs ?? (profile === 'voice' ? row.voiceTimeoutMs : row.timeoutMs),
    failure: options?.failure ?? row.failure,
    mustDecide: options?.mustDecide ?? false,
  });
}

function observersOf(
  named: readonly Named[],
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
