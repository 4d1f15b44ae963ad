import { type HookContext, Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { lastSentences } from '../history.ts';

/** How a sentence that agrees begins. "Sure" is not among them: customers say it before they give a detail. */
const AGREES =
  /^\W*((and|but|so|then),? )?(yes|yeah|yep|oui|confirmed|i (confirm|agree)|(please )?(go ahead|proceed)|let's (go ahead|proceed)|(everything|that|it|this)( all)? (looks|sounds|is) (good|right|correct|perfect|fine))\b/i;
/** Takes it back within the sentence. */
const HESITATES = /\b(not|no|never|wait|unless|(don|won|can|isn|doesn)['’]t)\b/i;

/**
 * What changes anything needs a yes in the customer's last message; without one a person decides. A yes is a
 * sentence that begins like one of `AGREES` and has none of `HESITATES`. What the yes was an answer to is
 * not checked: that takes a model.
 */
export class AskBeforeWriting extends Policy {
  override readonly name = 'AskBeforeWriting';

  override preToolUse(invocation: ToolInvocation, ctx: HookContext): ToolDecision | undefined {
    if (invocation.sideEffects !== 'once') return undefined;
    const agreed = lastSentences(ctx.messages).some(
      (sentence) => AGREES.test(sentence) && !HESITATES.test(sentence),
    );
    if (agreed) return undefined;
    return ToolDecision.requiresConfirmation(
      `The customer's last message holds no consent. Run ${invocation.displayName} all the same?`,
    );
  }
}
