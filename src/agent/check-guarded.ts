import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks } from '../hooks/agent-hooks.ts';
import { partsOf } from '../hooks/plan.ts';
import { toolMatcher } from '../hooks/tool-matcher.ts';
import { nearestName } from '../internal/nearest-name.ts';
import { CHILD, isChildTool } from '../loop/child-tool.ts';
import type { Ports } from '../loop/ports.ts';

type Tools = Pick<Ports['tools'], 'names' | 'get'>;

/**
 * Refuses a policy that is limited to tools of which the agent has none: misspelled, it would guard nothing and say
 * nothing. All tools are there when an agent is built, those of MCP servers too; policies hold in subagents as well.
 */
export function checkGuarded(hooks: readonly AgentHooks<never>[], tools: Tools): void {
  let known: ReadonlySet<string> | undefined;
  for (const [index, one] of hooks.entries())
    for (const { limits } of partsOf(one))
      for (const pattern of limits.flatMap(({ patterns = [] }) => patterns)) {
        if (pattern === '*' || tools.get(pattern) !== undefined) continue;
        known ??= namesIn(tools);
        if (![...known].some(toolMatcher([pattern]))) throw guardsNothing(index, pattern, known);
      }
}

/** With those of all agents below, each looked at once. */
function namesIn(tools: Tools, seen: Set<Tools> = new Set()): ReadonlySet<string> {
  if (seen.has(tools)) return new Set();
  seen.add(tools);
  const below = tools.names.flatMap((name) => {
    const tool = tools.get(name);
    return isChildTool(tool) ? [...namesIn(tool[CHILD].agent.tools, seen)] : [];
  });
  return new Set([...tools.names, ...below]);
}

function guardsNothing(index: number, pattern: string, known: ReadonlySet<string>): ConfigError {
  const names = [...known];
  const nearest = nearestName(pattern, names);
  const there = names.slice(0, 20).join(', ') || 'none';
  return new ConfigError('invalid-pattern', {
    where: `hooks[${index}]: forTools`,
    what: `'${pattern}' means no tool of this agent or of an agent below it, so the policy would guard nothing`,
    fix: `${nearest === undefined ? `The tools are: ${there}` : `Did you mean '${nearest}'?`} For policies that several agents share, pass \`{ mayBeAbsent: true }\``,
  });
}
