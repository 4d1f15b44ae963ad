import { failureOutput } from '../errors/tool-failure.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { ToolPort } from '../tools/port.ts';
import { CANCELLED } from './call-outcomes.ts';
import { failedCheck, refusalOf } from './check-call.ts';
import { checkWhole, hasLocks, keepWhole, locksOf } from './locks.ts';
import { notePrechecked, precheckCall } from './precheck-call.ts';
import type { Session } from './session.ts';
import { refusalResult } from './settle-batch.ts';
import { BROKEN, settleCheck } from './settle-check.ts';
import type { BatchCall, OpenTurn } from './state.ts';

type Checked = Awaited<ReturnType<ToolPort<never>['check']>>;
type Run = (call: BatchCall) => MaybePromise<ToolResult>;

interface Place {
  readonly session: Session;
  readonly turn: OpenTurn;
}

/** True where something stands between a call that may run and its run. */
export function isGuarded(call: BatchCall, { ports }: Session): boolean {
  if (call.prechecked !== undefined) return true;
  const tool = ports.tools.get(call.toolName);
  return tool?.locks !== undefined || tool?.precheck !== undefined;
}

/**
 * Fills the locked arguments as they are now, and runs the call if they are what was judged and its precheck has no
 * outcome for it. An outcome that was found before anybody was asked stays: nobody has approved a run.
 */
export function runGuarded(call: BatchCall, place: Place, run: Run): MaybePromise<ToolResult> {
  const { session } = place;
  if (call.prechecked !== undefined) {
    notePrechecked(call.callId, true, session);
    return call.prechecked;
  }
  const tool = session.ports.tools.get(call.toolName);
  // Another tool than was judged is refused where it would run.
  if (tool === undefined || tool.version !== call.toolVersion) return run(call);
  if (!hasLocks(tool)) return precheckThenRun(tool, call, { ...place, run });
  const filled = fillAgain(tool, call, session);
  const go = (checked: Checked | 'cancelled'): MaybePromise<ToolResult> => {
    if (checked === 'cancelled') return CANCELLED;
    if ('problem' in checked) return refusalResult(refusalOf(checked));
    const { input } = checked;
    if (!jsonEqual(locksOf(tool, input, session), call.locks)) return CHANGED;
    keepWhole(call.callId, input, session);
    return precheckThenRun(tool, { ...call, effectiveInput: input }, { ...place, run });
  };
  return isThenable(filled) ? filled.then(go) : go(filled);
}

function fillAgain(
  tool: ToolPort<never>,
  call: BatchCall,
  session: Session,
): MaybePromise<Checked | 'cancelled'> {
  try {
    const checked = checkWhole(tool, call.effectiveInput, session);
    return isThenable(checked)
      ? settleCheck<Checked>(Promise.resolve(checked), session, failedCheck)
      : checked;
  } catch {
    // What a schema threw may quote what it checked.
    return failedCheck(BROKEN);
  }
}

function precheckThenRun(
  tool: ToolPort<never>,
  call: BatchCall,
  place: Place & { readonly run: Run },
): MaybePromise<ToolResult> {
  const { session, run } = place;
  const go = (outcome: ToolResult | undefined): MaybePromise<ToolResult> => {
    notePrechecked(call.callId, outcome !== undefined, session);
    return outcome ?? run(call);
  };
  const outcome = precheckCall(tool, call, place);
  return isThenable(outcome) ? outcome.then(go) : go(outcome);
}

/** Nobody has judged the call with the values that it would run with. */
const CHANGED: ToolResult = Object.freeze({
  outcome: 'invalid',
  isError: true,
  output: failureOutput(
    'What this conversation fills into the call has changed since the call was judged, so it was not run. Make the call anew',
  ),
});
