import type { StateOf } from '../protocol/state-values.ts';
import type { AgentHooks } from './agent-hooks.ts';

/**
 * The class to extend for a policy. It implements nothing; it declares every hook, so that `override` turns a
 * misspelled one into a compile error. Always write `override`, which `noImplicitOverride` in tsconfig asks for: without
 * it a misspelled hook compiles. One whose name still looks like a hook's (`preToolUes`, `beforeToolUse`) is refused when
 * the agent is built; any other (`toolUse`, `checkTool`) is a method that nobody calls.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: merging declares the hooks as optional methods, which `override` needs, and emits no field
// biome-ignore lint/correctness/noUnusedVariables: merged declarations need the same type parameters
export abstract class Policy<Context = unknown, State = StateOf<Context>> {}

export interface Policy<Context = unknown, State = StateOf<Context>>
  extends AgentHooks<Context, State> {}

/** A policy as a literal: the same checks as a class, and a misspelled key does not compile. */
export function defineHooks<Context = unknown, State = StateOf<Context>>(
  hooks: AgentHooks<Context, State>,
): AgentHooks<Context, State> {
  return Object.freeze(hooks);
}
