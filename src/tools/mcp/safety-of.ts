import type { SideEffects, ToolTier } from '../../protocol/tool.ts';
import type { McpAnnotations } from './client.ts';

export interface McpSafety {
  readonly tier: ToolTier;
  readonly sideEffects: SideEffects;
}

const UNKNOWN: McpSafety = Object.freeze({ tier: 'confirm', sideEffects: 'once' });

/**
 * How careful the engine is with a server's tool. Only a tool that says it reads, and says nothing against that, runs
 * without asking; one that says it may be repeated is repeated after a crash, and asks first all the same. Whatever is
 * not said, or not said as a boolean, counts as unknown.
 */
export function safetyOf(annotations: McpAnnotations | undefined): McpSafety {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations ?? {};
  if (readOnlyHint === true && destructiveHint !== true)
    return { tier: 'auto', sideEffects: 'none' };
  if (readOnlyHint !== true && idempotentHint === true)
    return { tier: 'confirm', sideEffects: 'idempotent' };
  return UNKNOWN;
}
