import { Ask } from '../hooks/ask.ts';
import type { HookContext } from '../hooks/context.ts';
import type { HookEntry } from '../hooks/entry.ts';
import { hookContext as contextOf } from '../hooks/hook-context.ts';
import { HookRun } from '../hooks/hook-run.ts';
import type { StateOf } from '../protocol/state-values.ts';
import { type AskOptions, type AskSetting, checkAskOptions, settingOf } from './ask-options.ts';

/** A context for a test that calls a method itself: what the engine hands on, with what a test says about it. */
type ContextOptions<Context> = Omit<AskOptions<Context>, 'timeoutMs' | 'maxSummaryTokens'>;

/**
 * The context of one question, for a test that calls a method of a policy itself, as it has to at `onEvent`. `ask`
 * makes its own. What is written to its memory counts for this context.
 *
 * @example
 * policy.onEvent(agentEvent('tool.failed'), hookContext({ threadId: 'ann' }));
 */
export function hookContext<Context = unknown, State = StateOf<Context>>(
  options: ContextOptions<Context> = {},
): HookContext<Context, State> {
  checkAskOptions('hookContext', options);
  const setting = settingOf(options);
  const { recheck = false } = options;
  // The state and the app's value are what the test passes; their types are the policy's.
  return contextIn(setting, recheck) as HookContext<Context, State>;
}

/** The same in a run that a test knows. */
export function contextIn(setting: AskSetting, recheck: boolean): HookContext {
  const { facts, ports, moment } = setting;
  const question = { point: 'onEvent', payload: undefined, moment, recheck } as const;
  return contextOf(new Ask(new HookRun(facts, ports), NOBODY, question));
}

const NOBODY: HookEntry = Object.freeze({
  policy: 'policy',
  version: undefined,
  namedBy: 'explicit',
  call: () => undefined,
  codec: undefined,
  timeoutMs: 1,
  failure: 'closed',
  mustDecide: false,
  shadow: false,
  source: undefined,
  beside: undefined,
});
