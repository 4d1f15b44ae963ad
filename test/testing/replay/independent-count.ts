/**
 * What the airline's rules decide in recorded conversations, worked out from the JSON alone: nothing here is of the
 * package or of the example, and nothing is run. The rules are written down once more, as their pages say them.
 *
 *     node test/testing/replay/independent-count.ts conversations.jsonl
 */
import { readFileSync } from 'node:fs';

interface Count {
  until: number;
  after: number;
}

export interface Counted {
  readonly conversations: number;
  diverged: number;
  /** By `policy decision`, up to the divergence and behind it. */
  readonly decisions: Record<string, Count>;
}

interface Recorded {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly function: { name: string; arguments: string } }[];
}

interface Input {
  readonly reservation_id?: string;
  readonly user_id?: string;
  readonly flights: readonly Flight[];
  readonly passengers: readonly unknown[];
  readonly total_baggages: number;
  readonly payment_methods: readonly { readonly payment_id: string }[];
}

interface Flight {
  readonly flight_number: string;
  readonly date: string;
}

interface Reservation {
  readonly reservation_id: string;
  readonly cabin: string;
  readonly flights: readonly Flight[];
  readonly passengers: readonly unknown[];
  readonly total_baggages: number;
  readonly insurance: string;
  readonly created_at: string;
}

/** What an agent knows at some point of a conversation. */
interface Known {
  readonly reservations: Map<string, Reservation>;
  /** The kind of each payment method, by customer. */
  readonly profiles: Map<string, Record<string, { readonly source: string }>>;
  readonly said: string[][];
}

export function independentCount(file: string): Counted {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const counted: Counted = { conversations: lines.length, diverged: 0, decisions: {} };
  for (const line of lines) countOne(JSON.parse(line).messages, counted);
  return counted;
}

function countOne(messages: readonly Recorded[], counted: Counted): void {
  const known: Known = { reservations: new Map(), profiles: new Map(), said: [] };
  let isDiverged = false;
  for (const [index, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    if (role === 'user') known.said.push(sentences(content ?? ''));
    if (role !== 'assistant') continue;
    const verdicts = judge(content ?? '', calls, known);
    for (const verdict of verdicts) {
      counted.decisions[verdict] ??= { until: 0, after: 0 };
      counted.decisions[verdict][isDiverged ? 'after' : 'until'] += 1;
    }
    const [call] = calls;
    const answer = messages[index + 1];
    if (verdicts.length > 0) isDiverged = true;
    else if (call !== undefined && answer?.role === 'tool') {
      learn(known, call.function, answer.content ?? '');
    }
  }
  if (isDiverged) counted.diverged += 1;
}

function judge(
  text: string,
  calls: NonNullable<Recorded['tool_calls']>,
  known: Known,
): readonly string[] {
  const [call] = calls;
  if (call === undefined) return [];
  // A response that is sent back is judged no further.
  if (calls.length > 1 || text.trim() !== '') return ['SpeakOrAct retry-with-feedback'];
  const { name } = call.function;
  if (!/^(book|cancel|update)_|^send_certificate$/.test(name)) return [];
  const input: Input = JSON.parse(call.function.arguments);
  const rule = RULES[name]?.(input, known);
  const verdicts = rule === undefined ? [] : [rule];
  if (!agreed(known.said.at(-1) ?? [])) verdicts.push('AskBeforeWriting requires-confirmation');
  return verdicts;
}

const RULES: Record<string, (input: Input, known: Known) => string | undefined> = {
  update_reservation_flights: (input, known) => {
    const was = reservationOf(input, known);
    const isChange = was?.cabin === 'basic_economy' && list(was.flights) !== list(input.flights);
    return was === undefined || isChange ? 'KeepBasicEconomyFlights block' : undefined;
  },
  update_reservation_passengers: (input, known) => {
    const many = reservationOf(input, known)?.passengers.length;
    return many !== input.passengers.length ? 'KeepPassengerCount block' : undefined;
  },
  update_reservation_baggages: (input, known) => {
    const bags = reservationOf(input, known)?.total_baggages ?? Number.POSITIVE_INFINITY;
    return input.total_baggages < bags ? 'OnlyAddBags block' : undefined;
  },
  book_reservation: (input, known) =>
    mayPay(input, known) ? undefined : 'LimitPaymentMethods block',
  cancel_reservation: (input, known) => {
    const was = reservationOf(input, known);
    if (was === undefined) return 'CancelWithinRules block';
    // Times of the record sort as texts do; a day before 2024-05-15 15:00.
    const isFree = was.cabin === 'business' || was.insurance === 'yes';
    return isFree || was.created_at >= '2024-05-14T15:00:00'
      ? undefined
      : 'CancelWithinRules requires-confirmation';
  },
  send_certificate: (_input, known) => {
    const asked = known.said.flat().some(isWishForCompensation);
    return asked ? undefined : 'CompensateOnRequest block';
  },
};

function reservationOf({ reservation_id: id = '' }: Input, known: Known): Reservation | undefined {
  return known.reservations.get(id);
}

function list(flights: readonly Flight[]): string {
  const all = flights.map((one) => `${one.flight_number} ${one.date}`);
  return all.sort().join('\n');
}

function mayPay({ user_id = '', passengers, payment_methods }: Input, known: Known): boolean {
  const profile = known.profiles.get(user_id);
  const ids = [...new Set(payment_methods.map(({ payment_id }) => payment_id))];
  if (profile === undefined || passengers.length > 5) return false;
  if (ids.some((id) => !Object.hasOwn(profile, id))) return false;
  const many = (kind: string): number => ids.filter((id) => profile[id]?.source === kind).length;
  return many('certificate') < 2 && many('credit_card') < 2 && many('gift_card') < 4;
}

/** The words that the two rules about the customer's wishes name. */
const OPENERS = ['and', 'but', 'so', 'then'].join('|');
const AGREEMENTS = [
  'yes|yeah|yep|oui|confirmed',
  'i (confirm|agree)',
  "(please |let's )?(go ahead|proceed)",
  '(everything|that|it|this)( all)? (looks|sounds|is) (good|right|correct|perfect|fine)',
].join('|');
const DOUBTS = /\b(not|no|never|wait|unless|don['’]t|won['’]t|can['’]t|isn['’]t|doesn['’]t)\b/i;

function agreed(said: readonly string[]): boolean {
  const yes = new RegExp(`^\\W*((${OPENERS}),? )?(${AGREEMENTS})\\b`, 'i');
  return said.some((sentence) => yes.test(sentence) && !DOUBTS.test(sentence));
}

function isWishForCompensation(sentence: string): boolean {
  const names = /\b(compensat\w+|vouchers?|reimburse\w*)\b/i.test(sentence);
  const wishes =
    `want like need expect deserve demand request\\w* ask asking look\\sfor looking\\sfor
    hope hoping owe owed what how\\sabout perhaps can could is\\sthere`.split(/ +|\n +/);
  const isWish = new RegExp(`\\b(${wishes.join('|')})\\b`, 'i').test(sentence);
  return names && isWish && !/\b(no|not|never|(don|won|didn|isn)['’]t)\b/i.test(sentence);
}

function sentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n+/);
}

/** What a call that ran told. An answer about a reservation that shows none leaves nobody knowing how it stands. */
function learn(known: Known, call: { name: string; arguments: string }, content: string): void {
  const { name } = call;
  const input: Input = JSON.parse(call.arguments);
  const told: Partial<Reservation> & { payment_methods?: Record<string, { source: string }> } =
    content.startsWith('{') ? JSON.parse(content) : {};
  const { reservation_id: asked } = input;
  if (asked !== undefined && told.reservation_id !== asked && !content.startsWith('Error:')) {
    known.reservations.delete(asked);
  }
  if (told.reservation_id !== undefined && told.cabin !== undefined)
    known.reservations.set(told.reservation_id, told as Reservation);
  if (name === 'get_user_details' && input.user_id !== undefined) {
    if (told.payment_methods === undefined) known.profiles.delete(input.user_id);
    else known.profiles.set(input.user_id, told.payment_methods);
  }
}

const [, script, file] = process.argv;
if (script === import.meta.filename && file !== undefined) {
  process.stdout.write(`${JSON.stringify(independentCount(file), null, 2)}\n`);
}
