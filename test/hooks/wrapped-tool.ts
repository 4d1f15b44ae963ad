import { expect } from 'vitest';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { ToolCore, WrappedResult } from '../../src/hooks/gate.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ToolInvocation, ToolResult } from '../../src/protocol/tool.ts';
import { acceptAll, type Bench, bench, invocation, NOW } from './make-gate.ts';

export const DONE: ToolResult = Object.freeze({
  outcome: 'succeeded',
  isError: false,
  output: 'done',
});
export const RAN = { output: expect.stringContaining('did run') };
export const NOT_RUN = {
  outcome: 'failed',
  isError: true,
  output: expect.stringMatching(/did not run.*Do not claim success/),
};

export type Wrap = NonNullable<AgentHooks['wrapToolUse']>;
export const wraps = (
  name: string,
  wrapToolUse: Wrap,
  options: AgentHooks['options'] = {},
): AgentHooks => ({
  name,
  options,
  wrapToolUse,
});
export const open = { wrapToolUse: { failure: 'open' } } as const;

export interface Ran extends Bench {
  readonly inputs: JsonObject[];
  readonly wrapped: Promise<WrappedResult>;
}

export function around(
  hooks: readonly AgentHooks[],
  call: ToolInvocation = invocation(),
  core: Partial<ToolCore> = {},
): Ran {
  const run = bench(hooks);
  const inputs: JsonObject[] = [];
  const { execute = () => DONE, check = acceptAll } = core;
  const wrapped = run.gate.toolCall(
    call,
    {
      execute: (one) => {
        inputs.push(one.effectiveInput);
        return execute(one);
      },
      check,
    },
    NOW,
  );
  return { ...run, inputs, wrapped };
}

export const idempotent: ToolInvocation = { ...invocation(), sideEffects: 'idempotent' };
