import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks, HookPoint } from '../hooks/agent-hooks.ts';
import { checkHookOptions } from '../hooks/check-options.ts';
import { compileHooks } from '../hooks/compile.ts';
import type { HookContext } from '../hooks/context.ts';
import type { HookEntry } from '../hooks/entry.ts';
import { HookRun } from '../hooks/hook-run.ts';
import { implementedPoints } from '../hooks/points.ts';
import { summaryAnswerCodec } from '../hooks/summary-chain.ts';
import type { ChatRequest } from '../protocol/chat.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { AskPoint, AskTable, PolicyAnswer } from './answer.ts';
import type { ModelWrapAnswer, PromptAnswer, ToolWrapAnswer } from './around-answer.ts';
import type { AskedAround } from './ask-around.ts';
import { askAroundModel, type ModelBelow } from './ask-model-wrap.ts';
import { type AskedAbout, AskOnce } from './ask-once.ts';
import { type AskOptions, checkAskOptions, settingOf } from './ask-options.ts';
import { askAboutPrompt } from './ask-prompt.ts';
import { askAroundTool, type ToolBelow } from './ask-tool-wrap.ts';

/** The points a type says it implements; all of them where it says nothing, as `AgentHooks` itself does. */
type Implemented<Hooks> = {
  [Point in HookPoint]-?: Point extends keyof Hooks
    ? undefined extends Hooks[Point]
      ? never
      : Point
    : never;
}[HookPoint];
type Askable<Hooks> = [Implemented<Hooks>] extends [never]
  ? keyof Questions
  : Extract<Implemented<Hooks>, keyof Questions>;

/** The app's value as the method reads it; `unknown` for a method that takes no context. */
type ContextOf<Method> = Method extends (...args: infer Args) => unknown
  ? Args extends [...unknown[], HookContext<infer Context>]
    ? Context
    : unknown
  : unknown;

/** Optional, unless the method reads a typed `ctx.context`. */
type OptionsFor<Context, Left extends keyof AskOptions> = undefined extends Context
  ? [options?: Omit<AskOptions<Context>, Left>]
  : [options: Omit<AskOptions<Context>, Left> & { readonly context: Context }];

/** What is asked at each point, the options that mean nothing there, and what comes of it. */
type Questions = {
  readonly [Point in AskPoint]: {
    asked: AskTable[Point]['asked'];
    leaves: never;
    answer: PolicyAnswer<Point>;
  };
} & {
  readonly wrapToolUse: {
    asked: [invocation: ToolInvocation, next: ToolBelow];
    leaves: 'recheck';
    answer: ToolWrapAnswer;
  };
  readonly wrapLlmCall: {
    asked: [request: ChatRequest, next: ModelBelow];
    leaves: 'recheck';
    answer: ModelWrapAnswer;
  };
  /** A prompt is never waited for, and shown with no more than `PromptInfo`. */
  readonly systemPrompt: {
    asked: [prompt: string];
    leaves: Exclude<keyof AskOptions, 'threadId' | 'turnId' | 'step' | 'model' | 'purpose'>;
    answer: PromptAnswer;
  };
};

/** A policy to put questions to: one method for each point it implements. */
export type Asker<Hooks> = {
  readonly [Point in Askable<Hooks>]: (
    ...args: [
      ...Questions[Point]['asked'],
      ...OptionsFor<
        ContextOf<Point extends keyof Hooks ? NonNullable<Hooks[Point]> : never>,
        Questions[Point]['leaves']
      >,
    ]
  ) => Promise<Questions[Point]['answer']>;
};

/**
 * Asks one policy about one thing, as an agent would: frozen payload, time limit, strict reading of the answer,
 * checked rewrites. Needs no agent, model or store. What the policy does wrong is part of the answer, never a
 * rejection; only a mistake of the test is one: `ConfigError` for an object that is no policy, thrown here, for a
 * point it does not implement, and for a `next` that gives no result of a tool or no answer of a model.
 *
 * @example
 * const answer = await ask(new RefundLimit()).preToolUse(toolInvocation(refund, { amount: 500 }));
 * expect(answer).toBlock(/manager/);
 *
 * const { calls } = await ask(new Twice()).wrapToolUse(call, () => toolResult('busy', { outcome: 'failed' }));
 * expect(calls).toHaveLength(2);
 */
export function ask<Hooks extends AgentHooks<never>>(policy: Hooks): Asker<Hooks> {
  const compiled = compileHooks([policy], 'default');
  const [name = '', ...others] = compiled.policies;
  if (others.length > 0) throw severalPolicies(compiled.policies);
  const asker = Object.fromEntries(
    ASK_POINTS.map((point) => [
      point,
      async (...args: readonly unknown[]): Promise<unknown> => {
        const entry = compiled.entries[point]?.[0];
        if (entry === undefined) throw notImplemented(point, name, policy);
        // The signature of each method says what stands where.
        const last = args[PAYLOADS[point]];
        const given = (last === undefined ? {} : last) as AskOptions;
        checkAskOptions(`ask(${name}).${point}`, given);
        const options = point === 'onContextCompact' ? { ...COMPACTION, ...given } : given;
        const { timeoutMs = entry.timeoutMs } = options;
        checkHookOptions({ [point]: { timeoutMs } }, `ask(${name})`);
        return askAt({ compiled, point, entry: { ...entry, timeoutMs }, options }, args);
      },
    ]),
  );
  // It has a method for every point; the type shows those that the policy answers.
  return Object.freeze(asker) as unknown as Asker<Hooks>;
}

/** Every point that can be asked here, and how many values it is asked about. */
const PAYLOADS: { readonly [Point in keyof Questions]: number } = {
  onTurnStart: 1,
  onUserMessage: 1,
  systemPrompt: 1,
  preLlmRequest: 1,
  wrapLlmCall: 2,
  onTextWindow: 1,
  onLlmResponse: 1,
  preToolUse: 1,
  wrapToolUse: 2,
  postToolUse: 2,
  onKnowledgeQuery: 1,
  onKnowledgeResults: 1,
  onOutgoingMessage: 1,
  onError: 1,
  onContextCompact: 1,
};

export const ASK_POINTS: readonly (keyof Questions)[] = Object.freeze(
  Object.keys(PAYLOADS) as (keyof Questions)[], // Its own keys.
);

const COMPACTION = Object.freeze({ purpose: 'compaction', maxSummaryTokens: 2_000 } as const);

/** The signature of each method says what the arguments are. */
function askAt(
  asked: AskedAround & { readonly point: keyof Questions },
  args: readonly unknown[],
): Promise<unknown> {
  const { point, entry, options } = asked;
  switch (point) {
    case 'wrapToolUse':
      return askAroundTool(asked, args[0] as ToolInvocation, args[1] as ToolBelow);
    case 'wrapLlmCall':
      return askAroundModel(asked, args[0] as ChatRequest, args[1] as ModelBelow);
    case 'systemPrompt':
      return askAboutPrompt(asked, args[0] as string);
    default: {
      const result = point === 'postToolUse' ? (args[1] as ToolResult) : undefined;
      const recheck = options.recheck ?? false;
      const { maxSummaryTokens } = options;
      const about = { point, payload: args[0], result, recheck, maxSummaryTokens };
      return askOnce(entry, about, options);
    }
  }
}

async function askOnce(
  entry: HookEntry,
  about: AskedAbout,
  options: AskOptions,
): Promise<PolicyAnswer> {
  const { facts, moment, ports, memory } = settingOf(options);
  const run = new HookRun(facts, ports);
  // Asked is what the policy says, whether or not an agent would follow it.
  const codec = about.point === 'onContextCompact' ? summaryAnswerCodec : entry.codec;
  const entries = [{ ...entry, codec, shadow: false }];
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

function notImplemented(point: HookPoint, name: string, policy: AgentHooks<never>): ConfigError {
  return new ConfigError('no-hooks', {
    where: `ask(${name}).${point}`,
    what: `the policy does not implement '${point}'`,
    fix: `It implements: ${implementedPoints(policy).join(', ')}`,
  });
}
