import type { EventBody } from '../events/event.ts';
import { textOf } from '../protocol/byte-size.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { LateResult } from './background-calls.ts';
import type { BackgroundCall } from './background-state.ts';
import { toldReason } from './call-outcomes.ts';
import { inputAsJudged } from './locks.ts';
import { momentOf } from './moment-of.ts';
import { shownLate } from './present-result.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

/** What a request tells of calls that went on, and what of that the state has to hold from then on. */
export interface LateCalls {
  readonly background: readonly BackgroundCall[];
  readonly events: readonly EventBody[];
  /** For the note of this request; absent where there is nothing to tell. */
  readonly text?: string;
}

/** Looks what has become of the calls that went on. Every outcome is shown to the policies before it is told. */
export async function tellLate(
  calls: readonly BackgroundCall[],
  session: Session,
  turn: OpenTurn,
): Promise<LateCalls> {
  const background: BackgroundCall[] = [];
  const events: EventBody[] = [];
  for (const call of calls) {
    const { invocation, told } = call;
    if (told !== undefined) {
      if (told.turnId === turn.turnId) background.push(call);
      continue;
    }
    const late = await outcomeOf(invocation, session);
    if (late === undefined) {
      background.push(call);
      continue;
    }
    const result = await judged(late.result, call, { session, turn });
    background.push({
      invocation,
      told: { turnId: turn.turnId, text: noteOf(result, invocation, session) },
    });
    events.push(endOf(invocation, { ...late, result }));
  }
  const texts = background.flatMap(({ told }) => told?.text ?? []);
  return { background, events, ...(texts.length > 0 && { text: texts.join('\n') }) };
}

/** From now on the state knows what was told. */
export function forgetTold({ background }: LateCalls, { ports, threadId }: Session): void {
  for (const { invocation, told } of background)
    if (told !== undefined) ports.background.forget(threadId, invocation.callId);
}

/** Nothing while it runs. Of a call that another process has left, what the ledger knows. */
async function outcomeOf(
  { callId, sideEffects }: ToolInvocation,
  { ports, threadId }: Session,
): Promise<LateResult | undefined> {
  const here = ports.background.find(threadId, callId);
  if (here !== undefined) return here.late;
  if (sideEffects !== 'once') return { result: CUT_OFF, durationMs: 0 };
  const [entry] = await ports.store.readLedger(threadId, [callId]);
  return { result: entry?.result ?? UNKNOWN, durationMs: 0 };
}

const CUT_OFF: ToolResult = Object.freeze({
  outcome: 'cancelled',
  isError: true,
  output: 'The process that ran it has ended before it was done',
});

const UNKNOWN: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output:
    'Outcome unknown: the process that ran it has ended. Do not repeat the call before that has been checked',
});

function judged(
  result: ToolResult,
  call: BackgroundCall,
  { session, turn }: { readonly session: Session; readonly turn: OpenTurn },
): ToolResult | PromiseLike<ToolResult> {
  if (result.outcome !== 'succeeded' && result.outcome !== 'failed') return result;
  const gate = session.gateFor(turn.turnId);
  // No policy can be put around a call that is over.
  const known = gate.has('wrapToolUse')
    ? Object.freeze({ outcome: result.outcome, isError: true, output: UNWRAPPED })
    : result;
  if (!gate.has('postToolUse')) return known;
  const { invocation, locks } = call;
  const effectiveInput = inputAsJudged(
    { ...invocation, ...(locks !== undefined && { locks }) },
    session,
  );
  const whole = Object.freeze({ ...invocation, effectiveInput });
  return gate.toolResult(whole, known, momentOf(turn, 1));
}

const UNWRAPPED =
  'its result came too late for the policies around it, and was withheld. Do not repeat the call before that has been checked';

function noteOf(result: ToolResult, invocation: ToolInvocation, session: Session): string {
  const { toolName, providerCallId } = invocation;
  const { output, files } = shownLate(result, invocation, session);
  const beside = files > 0 ? ` (and ${files} files, which cannot be shown here)` : '';
  return `The call ${JSON.stringify(providerCallId)} of the tool '${toolName}' was still running when its turn was interrupted. It has ended now (${result.outcome}): ${textOf(output)}${beside}`;
}

function endOf({ callId, toolName }: ToolInvocation, late: LateResult): EventBody {
  const { durationMs, result } = late;
  const about = { callId, toolName, source: 'model', durationMs } as const;
  return result.outcome === 'succeeded'
    ? { type: 'tool.succeeded', ...about }
    : { type: 'tool.failed', ...about, outcome: result.outcome, ...toldReason(result) };
}
