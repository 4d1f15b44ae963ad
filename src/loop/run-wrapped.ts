import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import { invocationOf } from './invocation.ts';
import { checkerOf, wholeCall } from './locks.ts';
import { momentOf } from './moment-of.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn } from './state.ts';

/** What came of a call with policies around it. */
interface WrappedRun {
  readonly result: ToolResult;
  /** What the ledger keeps, where that is not the result. */
  readonly recorded?: ToolResult;
  /** The call with the input that ran; as it was where nothing did. */
  readonly call: BatchCall;
  /** True where neither the tool nor a policy gave the result. */
  readonly unanswered: boolean;
}

/** Runs one tool through the policies around it. The ledger is told what ran, not what a policy made of it. */
export async function runWrapped(
  call: BatchCall,
  session: Session,
  place: {
    readonly turn: OpenTurn;
    readonly attempt: number;
    readonly batch: ToolInvocation['batch'];
    readonly execute: (call: BatchCall) => MaybePromise<ToolResult>;
  },
): Promise<WrappedRun> {
  const { turn, batch, execute } = place;
  const tool = session.ports.tools.get(call.toolName);
  // What is no longer there is told of as without policies.
  if (tool === undefined) return { result: await execute(call), call, unanswered: true };
  const withInput = ({ effectiveInput }: ToolInvocation): BatchCall => ({
    ...call,
    effectiveInput,
  });
  const wrapped = await session.gateFor(turn.turnId).toolCall(
    invocationOf(wholeCall(call, session), batch),
    {
      execute: (invocation) => execute(withInput(invocation)),
      check: checkerOf(tool, session),
    },
    momentOf(turn, 1),
  );
  const { result, ran, unanswered } = wrapped;
  if (ran !== undefined) return { result, call: withInput(ran), unanswered };
  const recorded = NEVER_RAN.has(result.outcome) ? undefined : NOT_EXECUTED;
  return { result, ...(recorded !== undefined && { recorded }), call, unanswered };
}

/** Outcomes that say by themselves that nothing ran. */
const NEVER_RAN: ReadonlySet<ToolResult['outcome']> = new Set<ToolResult['outcome']>([
  'blocked',
  'denied',
  'not-executed',
  'invalid',
  'unknown-tool',
  'cancelled',
]);

const NOT_EXECUTED: ToolResult = Object.freeze({
  outcome: 'not-executed',
  isError: true,
  output: 'Not executed: a policy answered in the place of the tool, or failed before it',
});
