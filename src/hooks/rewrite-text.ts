import type { ModifyText } from '../decisions/message-decision.ts';
import type { Rewrite } from './chain.ts';

/** Another text, with everything else of the message as it was. */
export function rewriteText<Value extends { readonly text: string }>(
  value: Value,
  decision: ModifyText,
): Rewrite<Value> {
  return { value: Object.freeze({ ...value, text: decision.text }) };
}
