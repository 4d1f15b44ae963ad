import { failureOf, failureOutput } from '../errors/tool-failure.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { givesJson } from '../tools/output-port.ts';
import type { PrecheckContext, ToolPort } from '../tools/port.ts';
import { CallFacts } from './call-facts.ts';
import { CANCELLED } from './call-outcomes.ts';
import { CallState } from './call-state.ts';
import { succeeded } from './execute-call.ts';
import type { Session } from './session.ts';
import { settleCheck } from './settle-check.ts';
import type { BatchCall, OpenTurn } from './state.ts';
import { tellThrown } from './tell-thrown.ts';

/**
 * Asks the rule of a tool about a call, which is whole. Gives what the call gives in the place of a run, or nothing. A
 * rule that fails fails the call, and in no way more: the tool has not run.
 */
export function precheckCall(
  tool: ToolPort<never>,
  call: BatchCall,
  { session, turn }: { readonly session: Session; readonly turn: OpenTurn },
): MaybePromise<ToolResult | undefined> {
  if (tool.precheck === undefined) return undefined;
  const ctx = contextOf(call, session, turn);
  const failed = (error: unknown): ToolResult => {
    const { output, eventText } = failureOf(call.toolName, error);
    session.noteFailure(call.callId, { error, ...(eventText !== undefined && { eventText }) });
    tellThrown(error, ctx);
    return Object.freeze({ outcome: 'failed', isError: true, output });
  };
  try {
    const isJson = givesJson(tool.precheck);
    const outcome = tool.precheck(call.effectiveInput, ctx);
    if (!isThenable(outcome)) return resultOf(outcome, isJson);
    // Only a schema that answers later brings it here.
    const answering = Promise.resolve(outcome)
      .then((late) => resultOf(late, isJson))
      .catch(failed);
    return settleCheck<ToolResult | undefined>(answering, session, tooSlow).then((result) =>
      result === 'cancelled' ? CANCELLED : result,
    );
  } catch (error) {
    return failed(error);
  }
}

/** Remembers whether a call was answered by its precheck: what it gives is then no end of anything. */
export function notePrechecked(callId: string, isPrechecked: boolean, session: Session): void {
  if (isPrechecked) {
    session.callFacts ??= new CallFacts();
    session.callFacts.prechecked.add(callId);
  } else session.callFacts?.prechecked.delete(callId);
}

export function isPrechecked({ callId }: BatchCall, session: Session): boolean {
  return session.callFacts?.prechecked.has(callId) === true;
}

/** What the ledger keeps of a call that its precheck answered: a process that reads it has to know that nothing ran. */
export function precheckedResult(
  { outcome, isError, output }: ToolResult,
  call: BatchCall,
  session: Session,
): ToolResult | undefined {
  if (!isPrechecked(call, session)) return undefined;
  return Object.freeze({ outcome, isError, output, prechecked: true });
}

/** The same as a result like any other. */
export function plainResult({ outcome, isError, output }: ToolResult): ToolResult {
  return Object.freeze({ outcome, isError, output });
}

function resultOf(outcome: JsonValue | undefined, isJson: boolean): ToolResult | undefined {
  return outcome === undefined ? undefined : succeeded(outcome, isJson);
}

function tooSlow(why: string): ToolResult {
  return Object.freeze({
    outcome: 'failed',
    isError: true,
    output: failureOutput(`The tool did not run: its schema ${why}`),
  });
}

function contextOf(
  { callId, toolName }: BatchCall,
  session: Session,
  { turnId }: OpenTurn,
): PrecheckContext<never, never> {
  const { facts, context } = session.options;
  const state = new CallState(session.values, callId, () => true);
  return Object.freeze({
    threadId: session.threadId,
    turnId,
    callId,
    toolName,
    sender: facts.sender,
    channel: facts.channel,
    session: facts.session,
    context: context as never, // the type of the app's context is between the app and its tools
    // Which fields there are is between the schema and the tools.
    state: Object.freeze({ get: (field: string) => state.get(field) as never }),
  });
}
