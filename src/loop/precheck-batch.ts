import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { JudgedCall } from './event.ts';
import { wholeCall } from './locks.ts';
import { precheckCall } from './precheck-call.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

interface Place {
  readonly session: Session;
  readonly turn: OpenTurn;
}

/**
 * Asks the rules of the tools about the calls that a person is to be asked about: nobody has to look at a value that the
 * tool itself would not take. Calls that have been approved are asked about where they run.
 */
export function precheckAsked(
  judged: readonly JudgedCall[],
  place: Place,
): MaybePromise<readonly JudgedCall[]> {
  if (!judged.some((one) => isAsked(one, place))) return judged;
  return precheckFrom(0, [], { judged, place });
}

/** Goes on without a promise for as long as the answers come at once. */
function precheckFrom(
  first: number,
  done: readonly JudgedCall[],
  about: { readonly judged: readonly JudgedCall[]; readonly place: Place },
): MaybePromise<readonly JudgedCall[]> {
  const { judged, place } = about;
  const calls = [...done];
  for (let index = first; index < judged.length; index += 1) {
    const one = judged[index] as JudgedCall; // the loop stays below the length
    const outcome = isAsked(one, place) ? precheck(one, place) : undefined;
    if (isThenable(outcome))
      return outcome.then((late) =>
        precheckFrom(index + 1, [...calls, withOutcome(one, late)], about),
      );
    calls.push(withOutcome(one, outcome));
  }
  return calls;
}

function isAsked({ call, approvalId }: JudgedCall, { session }: Place): boolean {
  if (approvalId === undefined || call.refusal !== undefined) return false;
  if (call.granted !== undefined || call.prechecked !== undefined) return false;
  return session.ports.tools.get(call.toolName)?.precheck !== undefined;
}

function precheck({ call }: JudgedCall, place: Place): MaybePromise<ToolResult | undefined> {
  const tool = place.session.ports.tools.get(call.toolName);
  return tool && precheckCall(tool, wholeCall(call, place.session), place);
}

function withOutcome(one: JudgedCall, prechecked: ToolResult | undefined): JudgedCall {
  return prechecked === undefined ? one : { ...one, call: { ...one.call, prechecked } };
}
