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
    batch: batch.size === 1 ? ALONE : Object.freeze(batch),
  };
  const prepared = call.operation?.prepared;
  if (prepared !== undefined) invocation.prepared = prepared;
  if (approval?.answer !== undefined) invocation.approval = approval.answer;
  return Object.freeze(invocation);
}

const ALONE: ToolInvocation['batch'] = Object.freeze({ index: 0, size: 1 });
