/** The airline's tools, as data/tools.json describes them. */
import { type SideEffects, type Tool, type ToolContext, type ToolPort, tool } from 'agent-hooks';
import * as z from 'zod';

/** What the app hands to every run, and what stands behind the tools. */
export interface Airline {
  /** The answer of the airline's system, as the text that the model reads. */
  readonly answer: (toolName: string, input: object) => string;
}

interface Flight {
  readonly flight_number: string;
  readonly date: string;
}

interface Passenger {
  readonly first_name: string;
  readonly last_name: string;
  readonly dob: string;
}

const userId = z
  .string()
  .describe("The ID of the user to book the reservation, such as 'sara_doe_496'.");
const reservationId = z.string().describe("The reservation ID, such as 'ZFA04Y'.");
const cabin = z.enum(['basic_economy', 'economy', 'business']);
const flight = z.object({
  flight_number: z.string().describe("Flight number, such as 'HAT001'."),
  date: z
    .string()
    .describe("The date for the flight in the format 'YYYY-MM-DD', such as '2024-05-01'."),
});
const passengers = z
  .array(
    z.object({
      first_name: z.string().describe("The first name of the passenger, such as 'Noah'."),
      last_name: z.string().describe("The last name of the passenger, such as 'Brown'."),
      dob: z
        .string()
        .describe(
          "The date of birth of the passenger in the format 'YYYY-MM-DD', such as '1990-01-01'.",
        ),
    }),
  )
  .describe('An array of objects containing details about each passenger.');
const paymentId = z
  .string()
  .describe(
    "The payment id stored in user profile, such as 'credit_card_7815826', 'gift_card_7815826', 'certificate_7815826'.",
  );

export const bookReservation: Tool<
  {
    readonly user_id: string;
    readonly passengers: readonly Passenger[];
    readonly payment_methods: readonly { readonly payment_id: string; readonly amount: number }[];
  },
  Airline
> = tool({
  ...onDesk('book_reservation', 'once'),
  description: 'Book a reservation.',
  inputSchema: z.object({
    user_id: userId,
    origin: z.string().describe("The IATA code for the origin city, such as 'SFO'."),
    destination: z.string().describe("The IATA code for the destination city, such as 'JFK'."),
    flight_type: z.enum(['one_way', 'round_trip']),
    cabin,
    flights: z
      .array(flight)
      .describe('An array of objects containing details about each piece of flight.'),
    passengers,
    payment_methods: z
      .array(
        z.object({
          payment_id: paymentId,
          amount: z.number().describe('The amount to be paid.'),
        }),
      )
      .describe('An array of objects containing details about each payment method.'),
    total_baggages: z
      .int()
      .describe('The total number of baggage items included in the reservation.'),
    nonfree_baggages: z
      .int()
      .describe('The number of non-free baggage items included in the reservation.'),
    insurance: z.enum(['yes', 'no']),
  }),
});

export const cancelReservation: Tool<{ readonly reservation_id: string }, Airline> = tool({
  ...onDesk('cancel_reservation', 'once'),
  description: 'Cancel the whole reservation.',
  inputSchema: z.object({ reservation_id: reservationId }),
});

export const sendCertificate: Tool<{ readonly user_id: string; readonly amount: number }, Airline> =
  tool({
    ...onDesk('send_certificate', 'once'),
    description: 'Send a certificate to a user. Be careful!',
    inputSchema: z.object({
      user_id: userId,
      amount: z.number().describe('Certificate amount to send.'),
    }),
  });

export const updateReservationBaggages: Tool<
  { readonly reservation_id: string; readonly total_baggages: number },
  Airline
> = tool({
  ...onDesk('update_reservation_baggages', 'once'),
  description: 'Update the baggage information of a reservation.',
  inputSchema: z.object({
    reservation_id: reservationId,
    total_baggages: z
      .int()
      .describe('The updated total number of baggage items included in the reservation.'),
    nonfree_baggages: z
      .int()
      .describe('The updated number of non-free baggage items included in the reservation.'),
    payment_id: paymentId,
  }),
});

export const updateReservationFlights: Tool<
  { readonly reservation_id: string; readonly flights: readonly Flight[] },
  Airline
> = tool({
  ...onDesk('update_reservation_flights', 'once'),
  description: 'Update the flight information of a reservation.',
  inputSchema: z.object({
    reservation_id: reservationId,
    cabin,
    flights: z
      .array(flight)
      .describe(
        'An array of objects containing details about each piece of flight in the ENTIRE new reservation. Even if the a flight segment is not changed, it should still be included in the array.',
      ),
    payment_id: paymentId,
  }),
});

export const updateReservationPassengers: Tool<
  { readonly reservation_id: string; readonly passengers: readonly Passenger[] },
  Airline
> = tool({
  ...onDesk('update_reservation_passengers', 'once'),
  description: 'Update the passenger information of a reservation.',
  inputSchema: z.object({ reservation_id: reservationId, passengers }),
});

function search(day: string): z.ZodObject<Record<'origin' | 'destination' | 'date', z.ZodString>> {
  return z.object({
    origin: z.string().describe("The origin city airport in three letters, such as 'JFK'."),
    destination: z
      .string()
      .describe("The destination city airport in three letters, such as 'LAX'."),
    date: z
      .string()
      .describe(`The date of the flight in the format 'YYYY-MM-DD', such as '${day}'.`),
  });
}

/** What the agent has. */
export const airlineTools: readonly ToolPort<Airline>[] = [
  bookReservation,
  tool({
    ...onDesk('calculate', 'none'),
    description: 'Calculate the result of a mathematical expression.',
    inputSchema: z.object({
      expression: z
        .string()
        .describe(
          "The mathematical expression to calculate, such as '2 + 2'. The expression can contain numbers, operators (+, -, *, /), parentheses, and spaces.",
        ),
    }),
  }),
  cancelReservation,
  tool({
    ...onDesk('get_reservation_details', 'none'),
    description: 'Get the details of a reservation.',
    inputSchema: z.object({
      reservation_id: z.string().describe("The reservation id, such as '8JX2WO'."),
    }),
  }),
  tool({
    ...onDesk('get_user_details', 'none'),
    description: 'Get the details of an user, including their reservations.',
    inputSchema: z.object({
      user_id: z.string().describe("The user id, such as 'sara_doe_496'."),
    }),
  }),
  tool({
    ...onDesk('list_all_airports', 'none'),
    description: 'List all airports and their cities.',
    inputSchema: z.object({}),
  }),
  tool({
    ...onDesk('search_direct_flight', 'none'),
    description: 'Search direct flights between two cities on a specific date.',
    inputSchema: search('2024-01-01'),
  }),
  tool({
    ...onDesk('search_onestop_flight', 'none'),
    description: 'Search direct flights between two cities on a specific date.',
    inputSchema: search('2024-05-01'),
  }),
  sendCertificate,
  tool({
    ...onDesk('think', 'none'),
    description:
      'Use the tool to think about something. It will not obtain new information or change the database, but just append the thought to the log. Use it when complex reasoning is needed.',
    inputSchema: z.object({ thought: z.string().describe('A thought to think about.') }),
  }),
  // Not a read, but to transfer twice is to transfer once.
  tool({
    ...onDesk('transfer_to_human_agents', 'idempotent'),
    description:
      "Transfer the user to a human agent, with a summary of the user's issue. Only transfer if the user explicitly asks for a human agent, or if the user's issue cannot be resolved by the agent with the available tools.",
    inputSchema: z.object({ summary: z.string().describe("A summary of the user's issue.") }),
  }),
  updateReservationBaggages,
  updateReservationFlights,
  updateReservationPassengers,
];

interface OnDesk {
  readonly name: string;
  readonly sideEffects: SideEffects;
  readonly tier: 'auto';
  readonly execute: (input: object, ctx: ToolContext<Airline>) => string;
}

/** No tool asks a person because of its tier: who decides here are the policies. */
function onDesk<Name extends string>(name: Name, sideEffects: SideEffects): OnDesk {
  return {
    name,
    sideEffects,
    tier: 'auto',
    execute: (input, ctx) => ctx.context.answer(name, input),
  };
}
