import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks, HookPoint } from '../hooks/agent-hooks.ts';
import { checkHookOptions } from '../hooks/check-options.ts';
import { compileHooks } from '../hooks/compile.ts';
import type { HookContext } from '../hooks/context.ts';
import type { HookEntry } from '../hooks/entry.ts';
import { HookRun } from '../hooks/hook-run.ts';
import { implementedPoints } from '../hooks/points.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { AskPoint, AskTable, PolicyAnswer } from './answer.ts';
import { type AskedAbout, AskOnce } from './ask-once.ts';
import { type AskOptions, settingOf } from './ask-options.ts';

/** The points a type says it implements; all of them where it says nothing, as `AgentHooks` itself does. */
type Implemented<Hooks> = {
  [Point in HookPoint]-?: Point extends keyof Hooks
    ? undefined extends Hooks[Point]
      ? never
      : Point
    : never;
}[HookPoint];
type Askable<Hooks> = [Implemented<Hooks>] extends [never]
  ? AskPoint
  : Extract<Implemented<Hooks>, AskPoint>;

/** The app's value as the method reads it; `unknown` for a method that takes no context. */
type ContextOf<Method> = Method extends (...args: infer Args) => unknown
  ? Args extends [...unknown[], HookContext<infer Context>]
    ? Context
    : unknown
  : unknown;

/** Optional, unless the method reads a typed `ctx.context`. */
type OptionsFor<Context> = undefined extends Context
  ? [options?: AskOptions<Context>]
  : [options: AskOptions<Context> & { readonly context: Context }];

/** A policy to put questions to: one method for each point it implements. */
export type Asker<Hooks> = {
  readonly [Point in Askable<Hooks>]: (
    ...args: [
      ...AskTable[Point]['asked'],
      ...OptionsFor<ContextOf<Point extends keyof Hooks ? NonNullable<Hooks[Point]> : never>>,
    ]
  ) => Promise<PolicyAnswer<Point>>;
};

/**
 * Asks one policy about one thing, as an agent would: frozen payload, time limit, strict reading of the answer,
 * checked rewrites. Needs no agent, model or store. What the policy does wrong is part of the answer, never a
 * rejection; only a mistake of the test is one: `ConfigError` for an object that is no policy, thrown here, and
 * for a point it does not implement.
 *
 * @example
 * const answer = await ask(new RefundLimit()).preToolUse(toolInvocation(refund, { amount: 500 }));
 * expect(answer).toBlock(/manager/);
 */
export function ask<Hooks extends AgentHooks<never>>(policy: Hooks): Asker<Hooks> {
  const compiled = compileHooks([policy], 'default');
  const [name = '', ...others] = compiled.policies;
  if (others.length > 0) throw severalPolicies(compiled.policies);
  const asker = Object.fromEntries(
    ASK_POINTS.map((point) => [
      point,
      async (...args: readonly unknown[]): Promise<PolicyAnswer> => {
        const entry = compiled.entries[point]?.[0];
        if (entry === undefined) throw notImplemented(point, name, policy);
        const takesResult = point === 'postToolUse';
        // The signature of each method says what stands where.
        const result = takesResult ? (args[1] as ToolResult) : undefined;
        const options = (args[takesResult ? 2 : 1] ?? {}) as AskOptions;
        const recheck = options.recheck ?? false;
        return askOnce(entry, { point, payload: args[0], result, recheck }, options);
      },
    ]),
  );
  // It has a method for every point; the type shows those that the policy answers.
  return Object.freeze(asker) as unknown as Asker<Hooks>;
}

/** Every point that can be asked here. */
export const ASK_POINTS: readonly AskPoint[] = Object.freeze([
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'onTextWindow',
  'onLlmResponse',
  'preToolUse',
  'postToolUse',
  'onKnowledgeQuery',
  'onKnowledgeResults',
  'onOutgoingMessage',
  'onError',
] satisfies AskPoint[]);

async function askOnce(
  entry: HookEntry,
  about: AskedAbout,
  options: AskOptions,
): Promise<PolicyAnswer> {
  const { timeoutMs = entry.timeoutMs } = options;
  checkHookOptions({ [about.point]: { timeoutMs } }, `ask(${entry.policy})`);
  const { facts, moment, ports, memory } = settingOf(options);
  const run = new HookRun(facts, ports);
  // Asked is what the policy says, whether or not an agent would follow it.
  const entries = [{ ...entry, timeoutMs, shadow: false }];
  try {
    const said = await new AskOnce({ run, point: about.point, entries, moment }, about).run();
    const answer = { policy: entry.policy, point: about.point, memory: memory(), ...said };
    return Object.freeze(answer) as PolicyAnswer; // What was said was read by the codec of the point.
  } finally {
    run.close();
    ports.cancel.close();
  }
}

function severalPolicies(names: readonly string[]): ConfigError {
  return new ConfigError('invalid-input', {
    where: 'ask',
    what: `was given a group of policies: ${names.join(', ')}`,
    fix: 'Ask each of them on its own, and test the group in an agent',
  });
}

function notImplemented(point: AskPoint, name: string, policy: AgentHooks<never>): ConfigError {
  return new ConfigError('no-hooks', {
    where: `ask(${name}).${point}`,
    what: `the policy does not implement '${point}'`,
    fix: `It implements: ${implementedPoints(policy).join(', ')}`,
  });
}
