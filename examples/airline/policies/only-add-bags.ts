import { type HookContext, Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { findReservation } from '../history.ts';
import { updateReservationBaggages } from '../tools.ts';

/** Checked bags are added, never removed. */
export class OnlyAddBags extends Policy {
  override preToolUse(invocation: ToolInvocation, ctx: HookContext): ToolDecision | undefined {
    if (!updateReservationBaggages.matches(invocation)) return undefined;
    const { reservation_id, total_baggages } = invocation.effectiveInput;
    const reservation = findReservation(ctx.messages, reservation_id);
    if (reservation === undefined) {
      return ToolDecision.block('Read the reservation first, with get_reservation_details.');
    }
    if (total_baggages >= reservation.total_baggages) return undefined;
    return ToolDecision.block('Checked bags can be added to a reservation, not removed.');
  }
}
