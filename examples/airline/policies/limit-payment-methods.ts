import { type HookContext, Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { findPaymentMethods } from '../history.ts';
import { bookReservation } from '../tools.ts';

const LIMITS = new Map([
  ['certificate', 1],
  ['credit_card', 1],
  ['gift_card', 3],
]);
const MAX_PASSENGERS = 5;

/** A booking has five passengers at most, and is paid with few methods, all of the customer's profile. */
export class LimitPaymentMethods extends Policy {
  override preToolUse(invocation: ToolInvocation, ctx: HookContext): ToolDecision | undefined {
    if (!bookReservation.matches(invocation)) return undefined;
    const { user_id, passengers, payment_methods } = invocation.effectiveInput;
    if (passengers.length > MAX_PASSENGERS) {
      return ToolDecision.block(`A reservation has at most ${MAX_PASSENGERS} passengers.`);
    }
    const profile = findPaymentMethods(ctx.messages, user_id);
    if (profile === undefined) {
      return ToolDecision.block('Read the profile of the customer first, with get_user_details.');
    }
    const ids = new Set(payment_methods.map(({ payment_id }) => payment_id));
    const kinds = [...ids].map((id) => profile.get(id));
    if (kinds.includes(undefined)) {
      return ToolDecision.block('A payment method is not in the profile of the customer.');
    }
    for (const [kind, limit] of LIMITS) {
      if (kinds.filter((one) => one === kind).length <= limit) continue;
      return ToolDecision.block(`A booking takes at most ${limit} payment method of kind ${kind}.`);
    }
    return undefined;
  }
}
