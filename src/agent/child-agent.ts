import { HookError } from '../errors/hook-error.ts';
import type { AgentEvent } from '../events/event.ts';
import { bindHooks } from '../hooks/bind.ts';
import { type CompiledHooks, compileHooks } from '../hooks/compile.ts';
import { nestHooks } from '../hooks/nest-hooks.ts';
import type { CallerOfChild, ChildAgent, ChildRun } from '../loop/child-tool.ts';
import type { LinesPort } from '../loop/lines-port.ts';
import type { Ports } from '../loop/ports.ts';
import type { Rules } from '../loop/rules.ts';
import type { HooksFor } from './hooks-for.ts';

/** Where an agent keeps how it is run below another; registered, so that the builds for `import` and `require` know each other's. */
export const AS_CHILD: unique symbol = Symbol.for('agent-hooks.as-child');

/** Asks nobody. */
export const NO_HOOKS: CompiledHooks = compileHooks([], 'default');

/** An agent as it is run below another: its model, tools and words, in the caller's world and under its policies. */
export function childAgent<Context>(agent: {
  readonly name: string;
  readonly ports: Omit<Ports, 'hooks' | 'policies'>;
  readonly rules: Rules;
  readonly hooksFor: HooksFor<Context>;
  /** True when a function makes the policies of a thread. */
  readonly isMade: boolean;
}): ChildAgent {
  const { name, ports, rules } = agent;
  let latest: { readonly outer: CompiledHooks; readonly inner: CompiledHooks } | undefined;
  let nested = NO_HOOKS;
  const nest = (outer: CompiledHooks, inner: CompiledHooks): CompiledHooks => {
    if (latest?.outer !== outer || latest.inner !== inner) {
      latest = { outer, inner };
      nested = nestHooks(outer, inner, name);
    }
    return nested;
  };
  const own = ({ threadId, context, isEnding }: CallerOfChild): CompiledHooks | HookError => {
    // Policies that cannot be made must not keep a turn from its end.
    if (isEnding && agent.isMade && context === undefined) return NO_HOOKS;
    // What `Context` is stays between the app and its agents.
    const own = (): CompiledHooks | HookError => agent.hooksFor(threadId, context as Context);
    return isEnding ? orNone(own) : own();
  };
  const open = (above: CallerOfChild): ChildRun | HookError => {
    const inner = own(above);
    if (inner instanceof HookError) return inner;
    const hooks = nest(above.ports.policies, inner);
    return { ports: inWorldOf(above.ports, ports, hooks), rules, hooks };
  };
  return { name, tools: ports.tools, open };
}

/** A list that cannot be compiled is the app's mistake, which it hears of where a run begins. */
function orNone(hooks: () => CompiledHooks | HookError): CompiledHooks {
  try {
    const made = hooks();
    return made instanceof HookError ? NO_HOOKS : made;
  } catch {
    return NO_HOOKS;
  }
}

/** Who shows lines to the user shows those of an agent below as well. */
function linesBelow({ onLine }: LinesPort, own: LinesPort): LinesPort {
  return own.onLine !== undefined || onLine === undefined ? own : { ...own, onLine };
}

function inWorldOf(
  above: Ports,
  own: Omit<Ports, 'hooks' | 'policies'>,
  hooks: CompiledHooks,
): Ports {
  const { store, leases, counters, clock, newId } = above;
  const budgets = [...(above.budgets ?? []), ...(own.budgets ?? [])];
  return {
    ...own,
    lines: linesBelow(above.lines, own.lines),
    store,
    leases,
    counters,
    ...(budgets.length > 0 && { budgets }),
    clock,
    newId,
    policies: hooks,
    hooks: (facts, ports) => bindHooks(hooks, facts, ports),
    observe: (event: AgentEvent) => {
      own.observe(event);
      above.observe(event);
    },
    hasObservers: () => own.hasObservers() || above.hasObservers(),
    isObserved: (type) => own.isObserved(type) || above.isObserved(type),
  };
}
