import { failureOutput } from '../errors/tool-failure.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { ToolPort } from '../tools/port.ts';
import { CANCELLED, notRunNow } from './call-outcomes.ts';
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
export function runGuarded(
  call: BatchCall,
  place: Place & { readonly attempt: number },
  run: Run,
): MaybePromise<ToolResult> {
  const { session } = place;
  if (call.prechecked !== undefined) {
    notePrechecked(call.callId, true, session);
    return call.prechecked;
  }
  const tool = session.ports.tools.get(call.toolName);
  // Another tool than was judged is refused where it would run.
  if (tool === undefined || tool.version !== call.toolVersion) return run(call);
  if (!hasLocks(tool)) return precheckThenRun(tool, call, { ...place, run });
  const go = (now: Filled): MaybePromise<ToolResult> => {
    if ('instead' in now)
      return now.instead === CANCELLED ? CANCELLED : notRunNow(now.instead, call, place);
    keepWhole(call.callId, now.input, session);
    return precheckThenRun(tool, { ...call, effectiveInput: now.input }, { ...place, run });
  };
  const filled = fillAsJudged(tool, call, session);
  return isThenable(filled) ? filled.then(go) : go(filled);
}

/** What a call ends with whose locked arguments are no longer what was judged; nothing where they are. */
export async function endOfChanged(
  call: BatchCall,
  session: Session,
): Promise<ToolResult | undefined> {
  const tool = session.ports.tools.get(call.toolName);
  if (!hasLocks(tool)) return undefined;
  const filled = await fillAsJudged(tool, call, session);
  return 'instead' in filled ? filled.instead : undefined;
}

type Filled = { readonly input: JsonObject } | { readonly instead: ToolResult };

function fillAsJudged(
  tool: ToolPort<never>,
  call: BatchCall,
  session: Session,
): MaybePromise<Filled> {
  const compare = (checked: Checked | 'cancelled'): Filled => {
    if (checked === 'cancelled') return { instead: CANCELLED };
    if ('problem' in checked) return { instead: refusalResult(refusalOf(checked)) };
    const isSame = jsonEqual(locksOf(tool, checked.input, session), call.locks);
    return isSame ? { input: checked.input } : { instead: CHANGED_LOCKS };
  };
  const filled = fillAgain(tool, call, session);
  return isThenable(filled) ? filled.then(compare) : compare(filled);
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
export const CHANGED_LOCKS: ToolResult = Object.freeze({
  outcome: 'invalid',
  isError: true,
  output: failureOutput(
    'What this conversation fills into the call has changed since the call was judged, so it was not run. Make the call anew',
  ),
});
