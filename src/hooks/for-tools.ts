import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import { checkedParts } from './checked-parts.ts';
import type { HookQuestion, Limit } from './limit-call.ts';
import { combine, type Part, pointsOf } from './plan.ts';
import { toolMatcher } from './tool-matcher.ts';

export interface ForToolsOptions {
  /** Leaves out every method that is not about a tool. Default: false. */
  readonly only?: boolean;
  /**
   * Takes a pattern that means no tool of the agent, for a list of policies that several agents share. Default: false, and
   * `createAgent` refuses such a pattern, as a misspelled one guards nothing.
   */
  readonly mayBeAbsent?: boolean;
}

const TOOL_POINTS: readonly HookPoint[] = Object.freeze([
  'preToolUse',
  'wrapToolUse',
  'postToolUse',
]);

/**
 * A policy whose `preToolUse`, `wrapToolUse` and `postToolUse` are asked for some tools only, and have no opinion
 * about the others. A pattern is a name, in which `*` stands for any text. The other methods of the policy stay as
 * they are, unless `only` leaves them out.
 *
 * Throws `ConfigError` for anything else in a pattern, and for a policy that looks at no tool; `createAgent` throws one for
 * a pattern, other than `*`, that means none of its tools and none of its subagents'.
 */
export function forTools<Context>(
  patterns: readonly string[],
  policy: AgentHooks<Context>,
  options: ForToolsOptions = {},
): AgentHooks<Context> {
  const matches = toolMatcher(patterns);
  const { only, mayBeAbsent } = readOptions(options);
  const limit: Limit = Object.freeze({
    by: 'forTools',
    points: TOOL_POINTS,
    applies: (_ctx: unknown, { payload }: HookQuestion) => matches(toolNameOf(payload)),
    ...(!mayBeAbsent && { patterns: Object.freeze([...patterns]) }),
  });
  const parts = checkedParts('forTools', [policy]);
  const limited = parts.map((part) => ({ ...part, limits: [limit, ...part.limits] }));
  refuseToolless(limited);
  return combine(only ? limited.flatMap(toolsOnly) : limited);
}

/** A part that only looked at other things is gone from a group; one that is left alone has points of tools. */
function toolsOnly(part: Part): readonly Part[] {
  const points = pointsOf(part).filter((point) => TOOL_POINTS.includes(point));
  return points.length === 0 ? [] : [{ ...part, points }];
}

function refuseToolless(parts: readonly Part[]): void {
  if (parts.some((part) => toolsOnly(part).length > 0)) return;
  throw new ConfigError('no-hooks', {
    where: 'forTools',
    what: 'was given a policy that looks at no tool, so the patterns would have no effect',
    fix: `Use it for a policy with ${TOOL_POINTS.join(' or ')}, or leave it out`,
  });
}

const OPTIONS = ['only', 'mayBeAbsent'];

function readOptions(options: unknown): Required<ForToolsOptions> {
  checkKeys('forTools', options, OPTIONS);
  const given = options as { readonly [option: string]: unknown };
  const [only = false, mayBeAbsent = false] = OPTIONS.map((option) => given[option]);
  if (typeof only === 'boolean' && typeof mayBeAbsent === 'boolean') return { only, mayBeAbsent };
  throw new ConfigError('unknown-option', {
    where: 'forTools',
    what: 'was given an option that is neither true nor false',
    fix: 'Use `{ only: true }`, `{ mayBeAbsent: true }`, or nothing',
  });
}

/** The limit counts at points of tools only, whose payload is the invocation. */
function toolNameOf(payload: HookQuestion['payload']): string {
  return (payload as { readonly toolName: string }).toolName;
}
