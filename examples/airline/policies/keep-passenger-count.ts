import { type HookContext, Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { findReservation } from '../history.ts';
import { updateReservationPassengers } from '../tools.ts';

/** Passengers may be exchanged; how many there are stays. */
export class KeepPassengerCount extends Policy {
  override preToolUse(invocation: ToolInvocation, ctx: HookContext): ToolDecision | undefined {
    if (!updateReservationPassengers.matches(invocation)) return undefined;
    const { reservation_id, passengers } = invocation.effectiveInput;
    const reservation = findReservation(ctx.messages, reservation_id);
    if (reservation === undefined) {
      return ToolDecision.block('Read the reservation first, with get_reservation_details.');
    }
    if (passengers.length === reservation.passengers.length) return undefined;
    return ToolDecision.block('The number of passengers of a reservation cannot be changed.');
  }
}
