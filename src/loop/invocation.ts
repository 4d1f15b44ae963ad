import type { Writable } from '../internal/writable.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolInvocation } from '../protocol/tool.ts';
import type { BatchCall } from './state.ts';

/** A call as policies are asked about it. */
export function invocationOf(call: BatchCall, batch: ToolInvocation['batch']): ToolInvocation {
  const {
    callId,
    providerCallId,
    toolName,
    displayName,
    tier,
    sideEffects,
    effectiveInput,
    approval,
  } = call;
  const invocation: Writable<ToolInvocation> = {
    callId,
    providerCallId,
    toolName,
    displayName,
    tier,
    sideEffects,
    requestedInput: call.requestedInput as JsonObject, // a call that is judged has passed its schema, which is an object's
    effectiveInput,
    batch: placeIn(batch),
  };
  const prepared = call.operation?.prepared;
  if (prepared !== undefined) invocation.prepared = prepared;
  if (approval?.answer !== undefined) invocation.approval = approval.answer;
  return Object.freeze(invocation);
}

type Place = ToolInvocation['batch'];

/** Places of calls in batches of the usual sizes, each made once. */
const PLACES: Place[][] = [];
const USUAL = 16;

function placeIn({ index, size }: Place): Place {
  if (size > USUAL) return Object.freeze({ index, size });
  PLACES[size] ??= Array.from({ length: size }, (_, at) => Object.freeze({ index: at, size }));
  return PLACES[size][index] ?? Object.freeze({ index, size });
}
