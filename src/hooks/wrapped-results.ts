import type { ToolVerdict } from '../decisions/fold.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { ToolChainVerdict } from './gate.ts';

/** What the model reads of a call that a policy kept from running. */
export const NOT_RUN: ToolResult = Object.freeze({
  outcome: 'failed',
  isError: true,
  output: 'The tool did not run: a policy failed before it. Do not claim success',
});

export const CANCELLED_CALL: ToolResult = Object.freeze({
  outcome: 'cancelled',
  isError: true,
  output: 'Cancelled by user',
});

/**
 * In the place of a result: the call has begun, and waits for a person. Known by its identity. The policies around it
 * are let go, and asked anew when it goes on.
 */
export const SUSPENDED: ToolResult = Object.freeze({
  outcome: 'not-executed',
  isError: true,
  output: 'The call waits for a person',
});

/** What the model reads of a call that ran, where a policy that had to let go of its result failed. */
export function withheld(real: ToolResult): ToolResult {
  // Of a call that was given up the engine has told already what there is to know.
  if (real.outcome !== 'succeeded' && real.outcome !== 'failed') return real;
  return Object.freeze({ outcome: real.outcome, isError: true, output: WITHHELD });
}

const WITHHELD =
  'The call did run, but its result was withheld: a policy failed around it. Do not claim success, and do not repeat the call before that has been checked';

/** Why an input that a policy put in place must not run; nothing when it may. Only a clear yes lets it through. */
export function refusalOf(verdict: ToolChainVerdict, tier: 'auto' | 'confirm'): string | undefined {
  if (verdict.type !== 'judged') return 'a policy failed while it judged the changed input';
  return REASONS[verdict.verdict.type](verdict.verdict as never, tier); // Each takes the verdict it is found by.
}

const REASONS: {
  readonly [Type in ToolVerdict['type']]: (
    verdict: Extract<ToolVerdict, { readonly type: Type }>,
    tier: 'auto' | 'confirm',
  ) => string | undefined;
} = {
  run: () => undefined,
  block: ({ reason }) => reason,
  'retry-with-feedback': () => 'a policy asked for another answer instead of the changed input',
  confirm: () => NOT_APPROVED,
  'no-opinion': (_verdict, tier) => (tier === 'auto' ? undefined : NOT_APPROVED),
};

const NOT_APPROVED = 'a policy changed the input, and nobody has approved the changed one';

export function blocked(reason: string): ToolResult {
  return Object.freeze({ outcome: 'blocked', isError: true, output: `Blocked: ${reason}` });
}
