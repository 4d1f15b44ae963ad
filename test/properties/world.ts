import type { ModelRequest, ThreadChanges, ThreadStore, ToolResult } from '../../src/index.ts';
import { type CanaryKind, canariesIn, canary } from './canary.ts';
import type { Leg } from './leg.ts';
import type { Process } from './process.ts';
import type { Answer, Person, Pickup, Script, ToolMove } from './script.ts';

/** What was done to the store, in order, so that it can be done again to another. */
export type Written =
  | { readonly at: number; readonly leg: number; readonly changes: ThreadChanges }
  | { readonly at: number; readonly callId: string; readonly result: ToolResult };

/** Why a word must not be read any more, since when, and where it still may be. */
export interface Forbidden {
  readonly why: string;
  readonly at: number;
  /** In an event that is marked as discarded. */
  readonly discarded?: true;
  /** In states and ledger entries that were stored before. */
  readonly before?: true;
  /** Outside of messages, requests and results, as what the model asked for; and not if this batch failed. */
  readonly batch?: string;
}

interface Ran {
  readonly at: number;
  readonly leg: number;
  readonly tool: string;
  readonly callId: string;
  readonly key: string;
  readonly words: ReadonlySet<string>;
}

interface Vote {
  readonly at: number;
  readonly leg: number;
  readonly callId: string;
  /** The word of the call's input as the model wrote it. */
  readonly word: string | undefined;
  readonly vote: string;
  /** Given after the approvals were answered. */
  readonly again: boolean;
}

/** Call ids of answers that a crash has lost come back, but not in one process. */
export function batchOf(process: Process, callId: string): string {
  return `${process.leg}/${callId.slice(0, callId.lastIndexOf('.'))}`;
}

/** Everything of one run that outlives its processes: what is left of the script, and what was seen. */
export class World {
  readonly script: Script;
  readonly store: ThreadStore;
  readonly written: Written[] = [];
  readonly requests: { at: number; leg: number; request: ModelRequest }[] = [];
  readonly forbidden = new Map<string, Forbidden>();
  readonly ran: Ran[] = [];
  /** By policy and point: every word it was asked about. */
  readonly seen = new Map<string, Set<string>>();
  readonly votes: Vote[] = [];
  /** The leg in which each answer was given. */
  readonly answerLegs: number[] = [];
  /** Batches in whose judging a closed policy failed. */
  readonly failedBatches = new Set<string>();
  readonly legs: Leg[] = [];
  readonly problems: string[] = [];
  turns = 0;
  /** The number of the first call of an agent. */
  firstLeg = 0;
  readonly #answers: Answer[];
  readonly #tools: ToolMove[];
  readonly #people: Person[];
  readonly #pickups: Pickup[];
  readonly #moves: Map<string, string[]>;
  #counts = 0;
  #time = 0;

  constructor(script: Script, store: ThreadStore) {
    this.script = script;
    this.store = store;
    this.#answers = [...script.answers];
    this.#tools = [...(script.tools ?? [])];
    this.#people = [...(script.people ?? [])];
    this.#pickups = [...(script.pickups ?? [])];
    this.#moves = new Map(
      script.policies.flatMap(({ moves }, index) =>
        Object.entries(moves).map(([point, list]) => [`${index} ${point}`, [...list]] as const),
      ),
    );
  }

  /** A number for everything that happens, in its order. */
  tick(): number {
    this.#time += 1;
    return this.#time;
  }

  get userWord(): string {
    return canary('U', this.turns);
  }

  newWord(kind: CanaryKind): string {
    this.#counts += 1;
    return canary(kind, this.#counts);
  }

  nextAnswer(leg: number): { readonly answer: Answer; readonly number: number } {
    const number = this.answerLegs.push(leg) - 1;
    return { answer: this.#answers.shift() ?? 'text', number };
  }

  nextToolMove(): ToolMove {
    return this.#tools.shift() ?? 'ok';
  }

  nextPerson(fallback: Person): Person {
    return this.#people.shift() ?? fallback;
  }

  nextPickup(fallback: Pickup): Pickup {
    return this.#pickups.shift() ?? fallback;
  }

  nextMove(policy: number, point: string): string {
    return this.#moves.get(`${policy} ${point}`)?.shift() ?? 'none';
  }

  /** The strictest reason stays. */
  forbid(words: Iterable<string>, reason: Omit<Forbidden, 'at'>): void {
    const at = this.tick();
    for (const word of words) {
      const known = this.forbidden.get(word);
      const isStricter =
        known !== undefined && known.discarded === undefined && known.batch === undefined;
      if (!isStricter) this.forbidden.set(word, { ...reason, at });
    }
  }

  /** A policy was asked about these words, or put them there. */
  see(
    { policy, point }: { readonly policy: number; readonly point: string },
    value: unknown,
  ): void {
    const key = `${policy} ${point}`;
    const words = this.seen.get(key) ?? new Set();
    this.seen.set(key, words);
    for (const word of canariesIn(value)) words.add(word);
  }

  vote(process: Process, call: { callId: string; requestedInput: unknown }, vote: string): void {
    const { callId, requestedInput } = call;
    const word = [...canariesIn([requestedInput])].find((each) => each.startsWith('zqI'));
    const again = process.judgesAgain(callId);
    this.votes.push({ at: this.tick(), leg: process.leg, callId, word, vote, again });
    if (vote === 'failed') this.failedBatches.add(batchOf(process, callId));
  }

  /** Whether this message has been written yet. */
  isStored(word: string): boolean {
    return this.written.some(
      (entry) => 'changes' in entry && canariesIn(entry.changes.messages).has(word),
    );
  }

  /** Goes on where another world was when `last` was written and its process ended, at the latest at `end`. */
  follow(
    other: World,
    from: { readonly before: readonly Written[]; readonly last: number; readonly end: number },
  ): void {
    const isPast = ({ at }: { readonly at: number }): boolean => at < from.end;
    // What was judged but not written may be judged otherwise now.
    const isKept = ({ at }: { readonly at: number }): boolean => at <= from.last;
    this.written.push(...from.before);
    this.requests.push(...other.requests.filter(isPast));
    this.ran.push(...other.ran.filter(isPast));
    this.votes.push(...other.votes.filter(isKept));
    for (const batch of other.failedBatches) this.failedBatches.add(batch);
    for (const [word, reason] of other.forbidden) {
      if (isKept(reason)) this.forbidden.set(word, reason);
    }
    this.answerLegs.push(...other.answerLegs);
    this.turns = other.turns;
    this.#time = other.#time;
    this.#counts = other.#counts;
    this.firstLeg = 1_000;
  }

  problem(text: string): void {
    if (!this.problems.includes(text)) this.problems.push(text);
  }
}
