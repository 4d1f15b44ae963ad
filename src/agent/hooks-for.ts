import { HookError } from '../errors/hook-error.ts';
import type { AgentHooks } from '../hooks/agent-hooks.ts';
import { type CompiledHooks, compileHooks, type TimeoutProfile } from '../hooks/compile.ts';
import type { HooksOption } from './agent-options.ts';

/** Gives the policies of one run, or why they could not be made. */
export type HooksFor<Context> = (threadId: string, context: Context) => CompiledHooks | HookError;

/** Checks a list at once; what a function makes is checked for each run. Throws `ConfigError` for what is no policy. */
export function hooksFor<Context>(
  hooks: HooksOption<Context>,
  profile: TimeoutProfile,
  check: (list: readonly AgentHooks<never>[]) => void,
): HooksFor<Context> {
  // The compiler only calls them; what `Context` is stays between the app and its policies.
  const compile = (given: readonly AgentHooks<Context>[]): CompiledHooks => {
    const list = given as readonly AgentHooks<never>[];
    const compiled = compileHooks(list, profile);
    check(list);
    return compiled;
  };
  if (typeof hooks !== 'function') {
    const compiled = compile(hooks);
    return () => compiled;
  }
  return (threadId, context) => {
    let list: readonly AgentHooks<Context>[];
    try {
      list = hooks({ threadId, context });
    } catch (cause) {
      return cannotStart(cause);
    }
    return compile(list);
  };
}

function cannotStart(cause: unknown): HookError {
  return new HookError(
    {
      policy: 'hooks',
      point: 'createAgent',
      kind: 'threw',
      detail: 'the function that makes the policies of a thread threw',
      fix: 'See `cause`, and fix the function; nothing was run or stored',
    },
    { cause },
  );
}
