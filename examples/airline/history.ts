/** What the policies may rely on: what the customer said and what the tools answered, read from the history. */
import { type Message, type ToolOutcome, textOf, toolCallsOf, toolResultsOf } from 'agent-hooks';
import * as z from 'zod';

export interface Reservation {
  readonly reservation_id: string;
  readonly cabin: 'basic_economy' | 'economy' | 'business';
  readonly flights: readonly { readonly flight_number: string; readonly date: string }[];
  readonly passengers: readonly unknown[];
  readonly total_baggages: number;
  readonly insurance: 'yes' | 'no';
  readonly created_at: string;
}

const reservationSchema: z.ZodType<Reservation> = z.object({
  reservation_id: z.string(),
  cabin: z.enum(['basic_economy', 'economy', 'business']),
  flights: z.array(z.object({ flight_number: z.string(), date: z.string() })),
  passengers: z.array(z.unknown()),
  total_baggages: z.int(),
  insurance: z.enum(['yes', 'no']),
  created_at: z.string(),
});

const profileSchema = z.object({
  payment_methods: z.record(z.string(), z.object({ source: z.string() })),
});

/** The kind of each payment method of a customer (`credit_card`, `gift_card`, `certificate`) by its id. */
export type PaymentMethods = ReadonlyMap<string, string>;

/**
 * A reservation as the tools last showed it; undefined when they did not. An answer about it that cannot be
 * read hides the older ones: nobody knows what it said.
 */
export function findReservation(messages: readonly Message[], id: string): Reservation | undefined {
  for (const { input, output } of answersNewestFirst(messages)) {
    const read = reservationSchema.safeParse(output);
    if (read.success && read.data.reservation_id === id) return read.data;
    const isAboutIt = z.object({ reservation_id: z.literal(id) }).safeParse(input).success;
    if (isAboutIt && !isRefusal(output)) return undefined;
  }
  return undefined;
}

/** The payment methods in the profile of a customer, as last read; undefined when it was not, or not readably. */
export function findPaymentMethods(
  messages: readonly Message[],
  userId: string,
): PaymentMethods | undefined {
  for (const { toolName, input, output } of answersNewestFirst(messages)) {
    if (toolName !== 'get_user_details') continue;
    if (!z.object({ user_id: z.literal(userId) }).safeParse(input).success) continue;
    const read = profileSchema.safeParse(output);
    if (!read.success) return undefined;
    const methods = Object.entries(read.data.payment_methods);
    return new Map(methods.map(([id, { source }]) => [id, source]));
  }
  return undefined;
}

/** What the customer wrote, sentence by sentence, oldest first. */
export function customerSentences(messages: readonly Message[]): readonly string[] {
  return messages.filter(({ role }) => role === 'user').flatMap((message) => sentencesOf(message));
}

/** The sentences of the customer's last message; none before the first. */
export function lastSentences(messages: readonly Message[]): readonly string[] {
  const last = messages.findLast(({ role }) => role === 'user');
  return last === undefined ? [] : sentencesOf(last);
}

interface Answer {
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** These calls never reached the airline, so they tell nothing about it. */
const NEVER_STARTED: readonly ToolOutcome[] = [
  'blocked',
  'denied',
  'not-executed',
  'invalid',
  'unknown-tool',
];

/** What failed, was cancelled or is unknown may have changed something: its output is none to read. */
function* answersNewestFirst(messages: readonly Message[]): Generator<Answer> {
  const inputs = new Map(messages.flatMap(toolCallsOf).map(({ callId, input }) => [callId, input]));
  for (const message of messages.toReversed()) {
    for (const { callId, toolName, outcome, output } of toolResultsOf(message).toReversed()) {
      if (NEVER_STARTED.includes(outcome)) continue;
      const read = outcome === 'succeeded' ? parseText(output) : undefined;
      yield { toolName, input: inputs.get(callId), output: read };
    }
  }
}

/** The airline's tools answer with JSON in a text. What is no JSON stays the text it is. */
function parseText(output: unknown): unknown {
  if (typeof output !== 'string') return output;
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}

/** The airline refused: nothing changed, so what was known before still holds. */
function isRefusal(output: unknown): boolean {
  return typeof output === 'string' && output.startsWith('Error:');
}

function sentencesOf(message: Message): readonly string[] {
  return textOf(message).split(/(?<=[.!?])\s+|\n+/);
}
