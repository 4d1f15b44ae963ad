import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { announceFirst } from './announce-call.ts';
import { isCapped, runCapped } from './capped-call.ts';
import type { Children } from './children.ts';
import { type ExecutionPlace, executeCall } from './execute-call.ts';
import { type Executed, executeOperation } from './execute-operation.ts';
import { isGuarded, runGuarded } from './guard-call.ts';
import type { HostCalls } from './host-calls.ts';
import type { Session } from './session.ts';
import type { BatchCall } from './state.ts';

/** Who runs the calls of a batch. */
export interface Runners {
  readonly session: Session;
  /** Absent for a batch that calls none. */
  readonly children: Children | undefined;
  /** Absent for a batch of which the host runs nothing. */
  readonly hosted: HostCalls | undefined;
  /** Absent for a batch that has prepared nothing. */
  readonly executed: Executed | undefined;
}

/** Carries out one call by whoever runs it, once nothing stands between the call and its run. */
export function carryOut(
  call: BatchCall,
  runners: Runners,
  place: ExecutionPlace,
): MaybePromise<ToolResult> {
  const isPlain = call.defersIntent !== true && !isCapped(call, runners.session);
  return isPlain || call.prechecked !== undefined
    ? carryOutNow(call, runners, place)
    : carryOutCapped(call, runners, place);
}

// What only some calls need is apart in this file: a function makes an object for the parameters that a closure in it
// reads, whether the closure is made or not.
function carryOutCapped(
  call: BatchCall,
  runners: Runners,
  place: ExecutionPlace,
): MaybePromise<ToolResult> {
  return runCapped(call, { session: runners.session, saver: place.saver }, (slots) =>
    carryOutNow(call, runners, { ...place, slots }),
  );
}

function carryOutNow(
  call: BatchCall,
  runners: Runners,
  place: ExecutionPlace,
): MaybePromise<ToolResult> {
  const { session, hosted } = runners;
  // What the host has done is over.
  if (!isGuarded(call, session) || hosted?.given(call.callId) !== undefined)
    return execute(call, runners, place);
  return carryOutGuarded(call, runners, place);
}

function carryOutGuarded(
  call: BatchCall,
  runners: Runners,
  place: ExecutionPlace,
): MaybePromise<ToolResult> {
  const about = { session: runners.session, turn: place.turn, attempt: place.attempt };
  return runGuarded(call, about, (ready) => execute(ready, runners, place));
}

function execute(
  call: BatchCall,
  { session, children, hosted, executed }: Runners,
  place: ExecutionPlace,
): MaybePromise<ToolResult> {
  if (call.isHost === true && hosted !== undefined)
    return call.announce === undefined
      ? hosted.run(call)
      : announceHosted(call, hosted, { ...place, session });
  if (call.isListen === true && executed !== undefined)
    return executeOperation(call, session, { ...place, executed });
  return call.isChild === true && children !== undefined
    ? children.run(call)
    : executeCall(call, session, place);
}

function announceHosted(
  call: BatchCall,
  hosted: HostCalls,
  place: Parameters<typeof announceFirst>[1],
): MaybePromise<ToolResult> {
  return announceFirst(call, place, () => hosted.run(call));
}
