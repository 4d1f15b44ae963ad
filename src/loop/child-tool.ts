import type { HookError } from '../errors/hook-error.ts';
import type { CompiledHooks } from '../hooks/compile.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ToolPort } from '../tools/port.ts';
import type { Ports } from './ports.ts';
import type { Rules } from './rules.ts';

/** An agent, as the loop runs it below another. */
export interface ChildAgent {
  readonly name: string;
  readonly tools: Ports['tools'];
  /** What a run of it is made of: the caller's store, clock and observers, and the caller's policies before its own. */
  readonly open: (above: CallerOfChild) => ChildRun | HookError;
}

export interface CallerOfChild {
  readonly ports: Ports;
  /** The child's thread. */
  readonly threadId: string;
  /** What the app passed to `run`; the same for every agent below. */
  readonly context: unknown;
  /** True when the child is only to end. */
  readonly isEnding: boolean;
}

export interface ChildRun {
  readonly ports: Ports;
  readonly rules: Rules;
  readonly hooks: CompiledHooks;
}

/**
 * A tool whose call is the run of another agent. Not one that the engine merely hands itself to: a subagent may wait
 * for a person, and on a cancel it is waited for until its own end is stored, and no tool can do either.
 */
export interface ChildTool<Context = unknown> extends ToolPort<Context> {
  readonly [CHILD]: {
    readonly agent: ChildAgent;
    /** How many agents may be above the child. */
    readonly maxDepth: number;
    /** Milliseconds one run of it may take; none by default. Waiting for a person does not count. */
    readonly timeoutMs?: number;
    /** What the child is told, of the input of the call: a text or a user message. */
    readonly message: (input: JsonObject) => MaybePromise<JsonValue>;
  };
}

/** Registered, so that the builds for `import` and `require` know each other's. */
export const CHILD: unique symbol = Symbol.for('agent-hooks.child-tool');

export function isChildTool(tool: ToolPort<never> | undefined): tool is ChildTool<never> {
  return tool !== undefined && CHILD in tool;
}
