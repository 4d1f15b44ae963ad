import { type HookContext, Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { customerSentences } from '../history.ts';
import { sendCertificate } from '../tools.ts';

const COMPENSATION = /\b(compensat\w+|vouchers?|reimburse\w*)\b/i;
const WISH =
  /\b(want|like|need|expect|deserve|demand|request\w*|ask(ing)?|look(ing)? for|hop(e|ing)|owed?|what|how about|perhaps|can|could|is there)\b/i;
const DECLINES = /\b(no|not|never|(don|won|didn|isn)['’]t)\b/i;

/**
 * A certificate goes only to a customer who asked for compensation: one sentence of theirs, anywhere in the
 * conversation, names it and wishes for it. To accept what the agent offered is not to ask.
 */
export class CompensateOnRequest extends Policy {
  override preToolUse(invocation: ToolInvocation, ctx: HookContext): ToolDecision | undefined {
    if (!sendCertificate.matches(invocation)) return undefined;
    const asked = customerSentences(ctx.messages).some(
      (sentence) => COMPENSATION.test(sentence) && WISH.test(sentence) && !DECLINES.test(sentence),
    );
    if (asked) return undefined;
    return ToolDecision.block('The customer did not ask for compensation. Do not offer any.');
  }
}
