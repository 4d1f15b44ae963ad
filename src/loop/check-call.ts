import { isThenable } from '../internal/is-thenable.ts';
import type { Writable } from '../internal/writable.ts';
import type { InputProblem } from '../tools/input-port.ts';
import type { ToolPort } from '../tools/port.ts';
import { defersIntent } from './capped-call.ts';
import { isChildTool } from './child-tool.ts';
import { findTool } from './find-tool.ts';
import { checkWhole, keepWhole, locksOf, storedInput } from './locks.ts';
import type { Session } from './session.ts';
import { BROKEN, settleCheck } from './settle-check.ts';
import type { BatchCall, Refusal } from './state.ts';

type Checked = Awaited<ReturnType<ToolPort<never>['check']>>;

/** Checks the input against the tool as it is now: it may have changed while a person thought about the call. */
export function checkCall(
  call: BatchCall,
  session: Session,
): BatchCall | Promise<BatchCall | 'cancelled'> {
  if (call.refusal?.outcome !== 'invalid' && call.refusal !== undefined) return call;
  const tool = findTool(session, call.toolName);
  if (tool === undefined) {
    const known = session.ports.tools.names.join(', ') || 'none';
    const reason = `there is no tool of this name; there are: ${known}`;
    return { ...call, refusal: { outcome: 'unknown-tool', by: 'agent', reason } };
  }
  if (call.refusal !== undefined) return call;
  const now = { tool, session };
  try {
    const checked = checkWhole(tool, call.effectiveInput, session);
    session.passTime();
    if (!isThenable(checked)) return withCheck(call, checked, now);
    const checking = Promise.resolve(checked).then((answer) => withCheck(call, answer, now));
    return settleCheck(checking, session, (why) => withCheck(call, failedCheck(why), now));
  } catch {
    return withCheck(call, failedCheck(BROKEN), now);
  }
}

export function failedCheck(why: string): Checked {
  return { problem: `the schema of the tool ${why}` };
}

/** Why a call is refused whose input is not taken. */
export function refusalOf({ problem: reason, refused, missing }: InputProblem): Refusal {
  const refusal: Writable<Refusal> = { outcome: 'invalid', by: 'agent', reason };
  if (refused === true) refusal.refused = true;
  if (missing !== undefined) refusal.missing = missing;
  return refusal;
}

function withCheck(
  call: BatchCall,
  checked: Checked,
  { tool, session }: { readonly tool: ToolPort<never>; readonly session: Session },
): BatchCall {
  if ('problem' in checked) {
    const effectiveInput = storedInput(tool, call.effectiveInput);
    return { ...call, effectiveInput, refusal: refusalOf(checked) };
  }
  if (call.approval !== undefined && call.toolVersion !== tool.version)
    return { ...call, refusal: { outcome: 'invalid', by: 'agent', reason: CHANGED } };
  const { displayName, tier, sideEffects, parallel } = tool;
  const locks = locksOf(tool, checked.input, session);
  if (locks !== undefined) keepWhole(call.callId, checked.input, session);
  const input = storedInput(tool, checked.input);
  const isCurrent =
    isUpToDate(call, tool) && (call.defersIntent === true) === defersIntent(tool, session);
  if (input === call.effectiveInput && isCurrent) return call;
  const {
    isChild: _wasChild,
    isHost: _wasHost,
    defersIntent: _wasCapped,
    toolVersion: _judged,
    announce: _wasToSay,
    locks: _were,
    ...rest
  } = call;
  const now: Writable<BatchCall> = {
    ...rest,
    displayName,
    tier,
    sideEffects,
    parallel,
    effectiveInput: input,
  };
  if (isChildTool(tool)) now.isChild = true;
  if (tool.readResult !== undefined) now.isHost = true;
  if (defersIntent(tool, session)) now.defersIntent = true;
  if (tool.announce !== undefined) now.announce = 'due';
  if (tool.version !== undefined) now.toolVersion = tool.version;
  if (locks !== undefined) now.locks = locks;
  return now;
}

/** Nobody has judged, and nobody has approved, what the tool is now. */
export const CHANGED =
  'The tool has changed since this call was judged, so it was not run. Make the call anew';

function isUpToDate(call: BatchCall, tool: ToolPort<never>): boolean {
  return (
    call.displayName === tool.displayName &&
    call.tier === tool.tier &&
    call.sideEffects === tool.sideEffects &&
    call.parallel === tool.parallel &&
    call.toolVersion === tool.version &&
    (call.announce === undefined) === (tool.announce === undefined) &&
    (call.isHost === true) === (tool.readResult !== undefined) &&
    (call.isChild === true) === isChildTool(tool) &&
    call.locks === undefined &&
    tool.locks === undefined
  );
}
