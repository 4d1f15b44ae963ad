import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import { checkedParts } from './checked-parts.ts';
import type { HookQuestion, Limit } from './limit-call.ts';
import { combine, type Part, pointsOf } from './plan.ts';
import { toolMatcher } from './tool-matcher.ts';

export interface ForToolsOptions {
  /** Leaves out every method that is not about a tool. Default: false. */
  readonly only?: boolean;
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
 * Throws `ConfigError` for anything else in a pattern, and for a policy that looks at no tool.
 */
export function forTools<Context>(
  patterns: readonly string[],
  policy: AgentHooks<Context>,
  options: ForToolsOptions = {},
): AgentHooks<Context> {
  const matches = toolMatcher(patterns);
  const only = readOnly(options);
  const limit: Limit = Object.freeze({
    by: 'forTools',
    points: TOOL_POINTS,
    applies: (_ctx: unknown, { payload }: HookQuestion) => matches(toolNameOf(payload)),
    patterns: Object.freeze([...patterns]),
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

function readOnly(options: unknown): boolean {
  const keys = typeof options === 'object' && options !== null ? Object.keys(options) : ['?'];
  const only: unknown = keys.includes('only') ? Reflect.get(options as object, 'only') : false;
  if (keys.every((key) => key === 'only') && (only === undefined || typeof only === 'boolean')) {
    return only === true;
  }
  throw new ConfigError('unknown-option', {
    where: 'forTools',
    what: 'was given options it does not know',
    fix: 'Use `{ only: true }`, or nothing',
  });
}

/** The limit counts at points of tools only, whose payload is the invocation. */
function toolNameOf(payload: HookQuestion['payload']): string {
  return (payload as { readonly toolName: string }).toolName;
}
