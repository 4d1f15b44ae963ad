/**
 * What the policies must come to in the ten conversations, worked out from the data alone: nothing here is of
 * the package or of the example. Whether a customer agreed or asked was read by a person, not by a pattern.
 */
import { readFileSync } from 'node:fs';

/** In the order of the table. */
export interface Counted {
  steps: number;
  calls: number;
  blocked: number;
  confirmations: number;
  retries: number;
}

export interface Expected {
  readonly id: string;
  readonly reward: number;
  readonly until: Counted;
  readonly after: Counted;
  readonly byPolicy: Record<string, number>;
}

/** Conversations in which a write came without the customer's consent; in the others every one had it. */
const WITHOUT_CONSENT = ['airline-028', 'airline-037', 'airline-050'];
/** The only customer who asked for compensation before some was sent. */
const ASKED_FOR_COMPENSATION = 'airline-045';
/** The day before 2024-05-15 15:00, as the records write a time. */
const A_DAY_AGO = '2024-05-14T15:00:00';

interface Conversation {
  readonly id: string;
  readonly reward: number;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: readonly [{ readonly function: { name: string; arguments: string } }];
  }[];
}

interface Input {
  readonly reservation_id: string;
  readonly user_id: string;
  readonly flights: readonly Flight[];
  readonly passengers: readonly unknown[];
  readonly total_baggages: number;
  readonly payment_methods: readonly { readonly payment_id: string }[];
}

/** A reservation, or the profile of a customer. */
interface Fact {
  readonly reservation_id?: string;
  readonly cabin: string;
  readonly flights: readonly Flight[];
  readonly passengers: readonly unknown[];
  readonly total_baggages: number;
  readonly insurance: string;
  readonly created_at: string;
  readonly payment_methods: Record<string, unknown>;
}

interface Flight {
  readonly flight_number: string;
  readonly date: string;
}

interface Verdict {
  readonly column: 'blocked' | 'confirmations' | 'retries';
  readonly policy: string;
}

export function countByHand(file: URL): Expected[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => count(JSON.parse(line)));
}

function count({ id, reward, messages }: Conversation): Expected {
  const expected: Expected = { id, reward, until: zero(), after: zero(), byPolicy: {} };
  const known = new Map<string, Fact>();
  let counts = expected.until;
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    counts.steps += 1;
    const call = message.tool_calls?.[0].function;
    if (call === undefined) continue;
    const input = JSON.parse(call.arguments);
    const verdict: Verdict | undefined = message.content
      ? { column: 'retries', policy: 'SpeakOrAct' }
      : judge(id, call.name, { input, known });
    if (verdict === undefined) {
      counts.calls += 1;
      learn(known, input, messages[index + 1]?.content ?? '');
      continue;
    }
    counts[verdict.column] += 1;
    expected.byPolicy[verdict.policy] = (expected.byPolicy[verdict.policy] ?? 0) + 1;
    counts = expected.after;
  }
  // The replay closes a record that ends with a tool's answer.
  if (messages.at(-1)?.role === 'tool') counts.steps += 1;
  return expected;
}

interface Case {
  readonly input: Input;
  readonly known: ReadonlyMap<string, Fact>;
}

const WRITES = /^(book|cancel|update)_|^send_certificate$/;

function judge(id: string, name: string, one: Case): Verdict | undefined {
  if (!WRITES.test(name)) return undefined;
  const policy = blocker(id, name, one);
  if (policy !== undefined) return { column: 'blocked', policy };
  if (name === 'cancel_reservation' && needsLook(one)) {
    return { column: 'confirmations', policy: 'CancelWithinRules' };
  }
  if (!WITHOUT_CONSENT.includes(id)) return undefined;
  return { column: 'confirmations', policy: 'AskBeforeWriting' };
}

/** A reservation that no executed call showed compares as nothing does: it blocks too. */
function blocker(id: string, name: string, { input, known }: Case): string | undefined {
  const was = known.get(input.reservation_id);
  const broken: Record<string, [rule: string, isBroken: () => boolean]> = {
    update_reservation_flights: [
      'KeepBasicEconomyFlights',
      () => was === undefined || (was.cabin === 'basic_economy' && !sameFlights(was, input)),
    ],
    update_reservation_passengers: [
      'KeepPassengerCount',
      () => was?.passengers.length !== input.passengers.length,
    ],
    update_reservation_baggages: [
      'OnlyAddBags',
      () => was === undefined || input.total_baggages < was.total_baggages,
    ],
    book_reservation: ['LimitPaymentMethods', () => !mayPay(input, known.get(input.user_id))],
    cancel_reservation: ['CancelWithinRules', () => was === undefined],
    send_certificate: ['CompensateOnRequest', () => id !== ASKED_FOR_COMPENSATION],
  };
  const [rule, isBroken] = broken[name] ?? [];
  return isBroken?.() ? rule : undefined;
}

function sameFlights(
  a: { flights: readonly Flight[] },
  b: { flights: readonly Flight[] },
): boolean {
  const text = ({ flights }: typeof a): string =>
    flights.map(({ flight_number, date }) => flight_number + date).join();
  return text(a) === text(b);
}

function mayPay(input: Input, profile: Fact | undefined): boolean {
  const ids = input.payment_methods.map((method) => method.payment_id);
  const many = (kind: string): number => ids.filter((one) => one.startsWith(kind)).length;
  if (profile === undefined || ids.some((one) => !(one in profile.payment_methods))) return false;
  if (input.passengers.length > 5) return false;
  return many('certificate_') < 2 && many('credit_card_') < 2 && many('gift_card_') < 4;
}

function needsLook({ input, known }: Case): boolean {
  const was = known.get(input.reservation_id);
  if (was === undefined || was.cabin === 'business' || was.insurance === 'yes') return false;
  return was.created_at < A_DAY_AGO;
}

/** What an executed call told about a reservation or a customer. */
function learn(known: Map<string, Fact>, input: Input, content: string): void {
  if (!content.startsWith('{')) return;
  const told: Fact = JSON.parse(content);
  known.set(told.reservation_id ?? input.user_id, told);
}

function zero(): Counted {
  return { steps: 0, calls: 0, blocked: 0, confirmations: 0, retries: 0 };
}
