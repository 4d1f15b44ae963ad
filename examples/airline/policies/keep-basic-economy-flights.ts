import { type HookContext, Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { findReservation } from '../history.ts';
import { updateReservationFlights } from '../tools.ts';

/** The flights of a basic economy reservation stay as they are. Its cabin may change while they do. */
export class KeepBasicEconomyFlights extends Policy {
  override preToolUse(invocation: ToolInvocation, ctx: HookContext): ToolDecision | undefined {
    if (!updateReservationFlights.matches(invocation)) return undefined;
    const { reservation_id, flights } = invocation.effectiveInput;
    const reservation = findReservation(ctx.messages, reservation_id);
    if (reservation === undefined) {
      return ToolDecision.block('Read the reservation first, with get_reservation_details.');
    }
    if (reservation.cabin !== 'basic_economy') return undefined;
    if (keysOf(flights) === keysOf(reservation.flights)) return undefined;
    return ToolDecision.block('The flights of a basic economy reservation cannot be changed.');
  }
}

function keysOf(flights: readonly { flight_number: string; date: string }[]): string {
  const keys = flights.map(({ flight_number, date }) => `${flight_number} ${date}`);
  return keys.sort().join();
}
