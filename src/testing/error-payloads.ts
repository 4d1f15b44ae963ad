import { HookError, type HookFailureKind } from '../errors/hook-error.ts';
import { ModelError, type ModelErrorCode, type ModelErrorFacts } from '../errors/model-error.ts';
import { ToolCallError } from '../errors/tool-error.ts';
import { TURN_ID } from './text-payloads.ts';

/** A failed model call, as `onError` is asked about it. `retryable` follows the code unless it is set. */
export function modelError(
  code: ModelErrorCode = 'overloaded',
  facts: ModelErrorFacts = {},
): ModelError {
  return new ModelError(
    code,
    { where: "model 'scripted'", what: `failed with ${code}`, fix: 'This is a test' },
    facts,
  );
}

/** A failed tool call, as `onError` is asked about it. */
export function toolCallError(
  call: {
    readonly toolName?: string;
    readonly callId?: string;
    /** What the model would read. */
    readonly forModel?: string;
  } = {},
): ToolCallError {
  const forModel = '{"error":"The tool failed before completing. Do not claim success."}';
  return new ToolCallError({ toolName: 'refund', callId: `${TURN_ID}.1.0`, forModel, ...call });
}

/** A policy that failed, as `onError` is told of it. */
export function hookError(
  failure: {
    readonly policy?: string;
    readonly point?: string;
    readonly kind?: HookFailureKind;
  } = {},
): HookError {
  return new HookError({ policy: 'policy', point: 'preToolUse', kind: 'threw', ...failure });
}
