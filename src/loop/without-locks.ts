import type { HookPoint } from '../hooks/agent-hooks.ts';
import type { ToolInvocation } from '../protocol/tool.ts';
import type { Ports } from './ports.ts';

/** What was judged, as a digest may be made of it: a call without its locked arguments. */
export function recordable(point: HookPoint, payload: unknown, tools: Ports['tools']): unknown {
  if (point !== 'preToolUse' && point !== 'wrapToolUse') return payload;
  const invocation = payload as ToolInvocation; // What those points are asked about.
  const locks = tools.get(invocation.toolName)?.locks;
  if (locks === undefined) return payload;
  return { ...invocation, effectiveInput: locks.strip(invocation.effectiveInput) };
}
