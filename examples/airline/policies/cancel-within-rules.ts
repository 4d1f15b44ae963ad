import { type HookContext, Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { findReservation } from '../history.ts';
import { cancelReservation } from '../tools.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Whoever booked within a day, flies business or is insured may cancel. For the rest a person decides: only
 * if the airline cancelled a flight, which no tool tells.
 */
export class CancelWithinRules extends Policy {
  override readonly name = 'CancelWithinRules';
  readonly #now: () => number;

  /** `now` gives milliseconds since the epoch. */
  constructor(now: () => number) {
    super();
    this.#now = now;
  }

  override preToolUse(invocation: ToolInvocation, ctx: HookContext): ToolDecision | undefined {
    if (!cancelReservation.matches(invocation)) return undefined;
    const { reservation_id } = invocation.effectiveInput;
    const reservation = findReservation(ctx.messages, reservation_id);
    if (reservation === undefined) {
      return ToolDecision.block('Read the reservation first, with get_reservation_details.');
    }
    const { cabin, insurance, created_at } = reservation;
    // The airline's times are EST. A time that cannot be read is NaN, which is never within a day.
    const age = this.#now() - Date.parse(`${created_at}-05:00`);
    if (age <= DAY_MS || cabin === 'business' || insurance === 'yes') return undefined;
    return ToolDecision.requiresConfirmation(
      `${reservation_id} was booked on ${created_at}, is not business and not insured. Did the airline cancel a flight of it?`,
    );
  }
}
