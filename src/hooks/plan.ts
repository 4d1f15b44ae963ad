import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import type { Limit } from './limit-call.ts';
import { HOOK_POINTS, implementedPoints } from './points.ts';
import { standIn } from './stand-in.ts';

/** One policy as the app wrote it, and what was put around it. */
export interface Part {
  readonly hooks: AgentHooks<never>;
  /** The names of the groups it is in, outermost first. */
  readonly groups: readonly string[];
  /** When it is asked at all, outermost first. */
  readonly limits: readonly Limit[];
  /** Absent: every point it implements. */
  readonly points?: readonly HookPoint[];
  readonly shadow?: true;
  readonly failure?: 'open';
  readonly timeoutMs?: number;
  /** The parts of one `parallel` share it. */
  readonly beside?: object;
}

/** What combined policies are made of. A copy of one is not in here, and is refused for its methods. */
const PARTS = new WeakMap<object, readonly Part[]>();

/** The policies a value stands for: those that were combined into it, or itself. Checks nothing. */
export function partsOf(value: unknown): readonly Part[] {
  const parts = typeof value === 'object' && value !== null ? PARTS.get(value) : undefined;
  // Whoever takes anything apart checks what comes out.
  return parts ?? [{ hooks: value as AgentHooks<never>, groups: [], limits: [] }];
}

/** The points at which a part is asked. */
export function pointsOf({ hooks, points }: Part): readonly HookPoint[] {
  const implemented = implementedPoints(hooks);
  return points === undefined ? implemented : implemented.filter((point) => points.includes(point));
}

/**
 * One policy that stands for several parts. It has just the methods of its parts, so that a point none of them
 * implements stays free; an agent asks the parts themselves.
 */
export function combine(parts: readonly Part[], group?: string): AgentHooks<never> {
  const named = group === undefined ? parts : parts.map((part) => inGroup(part, group));
  const [first, ...others] = named;
  const fields =
    first !== undefined && others.length === 0 ? fieldsOf(first) : group && { name: group };
  const points = HOOK_POINTS.filter((point) =>
    named.some((part) => pointsOf(part).includes(point)),
  );
  const methods = Object.fromEntries(points.map((point) => [point, standIn(point)]));
  const combined = Object.freeze({ ...fields, ...methods });
  PARTS.set(combined, Object.freeze(named));
  return combined;
}

function inGroup(part: Part, group: string): Part {
  return { ...part, groups: [group, ...part.groups] };
}

/** What can be read off a combined policy of one part: the same as off the policy in it, as changed. */
function fieldsOf(part: Part): Partial<AgentHooks<never>> {
  const { hooks, groups, failure, timeoutMs } = part;
  const { name, version, order, events } = hooks;
  const set = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(failure !== undefined && { failure }),
  };
  const options = Object.fromEntries(
    pointsOf(part).map((point) => [point, { ...hooks.options?.[point], ...set }]),
  );
  return {
    ...(name !== undefined && { name: [...groups, name].join('/') }),
    ...(version !== undefined && { version }),
    ...(order !== undefined && { order }),
    ...(events !== undefined && { events }),
    options,
  };
}
