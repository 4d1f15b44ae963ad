import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolInvocation } from '../protocol/tool.ts';
import type { Rewrite } from './chain.ts';

/**
 * The call with another input, as a policy gives it to `next`; the very same call where nothing differs. What a
 * call is, and whose, cannot be changed. Never throws.
 */
export function rewriteInvocation(before: ToolInvocation, given: unknown): Rewrite<ToolInvocation> {
  if (given === before) return { value: before };
  try {
    if (typeof given !== 'object' || given === null) return { problem: 'it is no invocation' };
    // Only read, member by member.
    const { effectiveInput, ...rest } = given as ToolInvocation;
    const { effectiveInput: input, ...kept } = before;
    if (!jsonEqual(rest, kept)) return { problem: 'only `effectiveInput` can be changed' };
    if (!isJsonObject(effectiveInput))
      return { problem: '`effectiveInput` is no plain JSON object' };
    if (jsonEqual(effectiveInput, input)) return { value: before };
    const copy = deepFreeze(toJson(effectiveInput) as JsonObject); // It is an object of plain JSON.
    return { value: Object.freeze({ ...before, effectiveInput: copy }) };
  } catch {
    return { problem: 'it cannot be read' };
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value);
}
