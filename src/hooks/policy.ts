import type { AgentHooks } from './agent-hooks.ts';

/**
 * The class to extend for a policy. It implements nothing; it declares every hook, so that `override` turns a
 * misspelled one into a compile error. Always write `override`: without it a misspelled hook compiles, and is
 * refused only when the agent is built.
 */
export abstract class Policy<Context = unknown> {}

// Merged with the class: the hooks are then declared as optional methods, and no field is emitted for any.
export interface Policy<Context = unknown> extends AgentHooks<Context> {}

/** A policy as a literal: the same checks as a class, and a misspelled key does not compile. */
export function defineHooks<Context = unknown>(hooks: AgentHooks<Context>): AgentHooks<Context> {
  return Object.freeze(hooks);
}
