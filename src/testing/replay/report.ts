import type { ReplayDifference } from './compare.ts';
import type { Diverged, ReplayDecision } from './course.ts';
import type { BrokenTranscript, Transcript, TranscriptSource } from './transcript.ts';

/** What one set of policies made of one conversation. */
export interface ReplayCourse {
  /** Every answer of every policy, in order. One without an opinion says nothing, and is not in here. */
  readonly decisions: readonly ReplayDecision[];
  /** Absent where the conversation went as it is recorded. */
  readonly diverged?: Diverged;
  /** True where a policy rewrote what the model reads: the recorded answers knew nothing of that. */
  readonly rewritten: boolean;
  /** Model calls. */
  readonly steps: number;
  /** Tool calls that were answered from the record. */
  readonly calls: number;
}

/** One conversation that was replayed. */
export interface ReplayedConversation extends ReplayCourse {
  readonly type: 'replayed';
  readonly id: string;
  readonly source: TranscriptSource;
  /** Messages of the user. */
  readonly turns: number;
  /** What is not as it should be, although the conversation was replayed. */
  readonly problems: readonly string[];
  /** What the other policies made of it; only with `against`. */
  readonly against?: ReplayCourse;
  /** Only with `against`. */
  readonly differences?: readonly ReplayDifference[];
  readonly transcript: Transcript;
}

/** One conversation, replayed or not. */
export type ReplayEntry = ReplayedConversation | BrokenTranscript;

/** How often one policy said one thing at one point. */
export interface ReplayCount {
  readonly policy: string;
  readonly point: string;
  readonly decision: string;
  /** Present for a policy on trial. */
  readonly shadow?: true;
  /** Up to the divergence of a conversation, the decision that caused it included. */
  readonly until: number;
  /** Behind it, where the record no longer says what would have happened. */
  readonly after: number;
}

/** The outcome of a replay, as JSON. Fields may be added; none is renamed or removed within a version. */
export interface ReplayReport {
  readonly version: 1;
  /** Conversations that were given, the broken ones included. */
  readonly conversations: number;
  readonly replayed: number;
  readonly broken: number;
  readonly diverged: number;
  /** Conversations that were replayed and have a problem all the same. */
  readonly problems: number;
  readonly turns: number;
  readonly steps: number;
  readonly calls: number;
  /** By policy, point and decision. Verdicts that were asked for again are not counted. */
  readonly decisions: readonly ReplayCount[];
  /** Tools that nobody declared, so that their tiers and side effects are a guess; a hundred of them at most. */
  readonly derivedTools: readonly string[];
  /** Only with `against`: `until` and `after` the divergence of either. */
  readonly differences?: { readonly until: number; readonly after: number };
}

const MAX_DERIVED = 100;

/** Adds up entries as they come, and keeps none of them. */
export class Totals {
  readonly #counts = new Map<string, { -readonly [Key in keyof ReplayCount]: ReplayCount[Key] }>();
  readonly #differences: { until: number; after: number } | undefined;
  readonly #sums = {
    replayed: 0,
    broken: 0,
    diverged: 0,
    problems: 0,
    turns: 0,
    steps: 0,
    calls: 0,
  };

  readonly #derived = new Set<string>();

  constructor(compares: boolean) {
    this.#differences = compares ? { until: 0, after: 0 } : undefined;
  }

  /** Notes a tool that only the record knows of. */
  derive(toolName: string): void {
    if (this.#derived.size < MAX_DERIVED) this.#derived.add(toolName);
  }

  add(entry: ReplayEntry): void {
    const sums = this.#sums;
    if (entry.type === 'broken') {
      sums.broken += 1;
      return;
    }
    sums.replayed += 1;
    sums.turns += entry.turns;
    sums.steps += entry.steps;
    sums.calls += entry.calls;
    if (entry.diverged !== undefined) sums.diverged += 1;
    if (entry.problems.length > 0) sums.problems += 1;
    for (const decision of entry.decisions) this.#count(decision);
    for (const { after } of entry.differences ?? [])
      if (this.#differences !== undefined) this.#differences[after ? 'after' : 'until'] += 1;
  }

  report(): ReplayReport {
    const { replayed, broken } = this.#sums;
    const decisions = [...this.#counts.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return {
      version: 1,
      conversations: replayed + broken,
      ...this.#sums,
      decisions: decisions.map((count) => ({ ...count })),
      derivedTools: [...this.#derived].sort(),
      ...(this.#differences !== undefined && { differences: { ...this.#differences } }),
    };
  }

  #count(decision: ReplayDecision): void {
    if (decision.again === true) return;
    const { policy, point, decision: type, shadow, after } = decision;
    const key = keyOf(decision);
    const count = this.#counts.get(key) ?? {
      ...{ policy, point, decision: type, until: 0, after: 0 },
      ...(shadow === true && { shadow }),
    };
    count[after ? 'after' : 'until'] += 1;
    this.#counts.set(key, count);
  }
}

function keyOf(one: Omit<ReplayCount, 'until' | 'after'>): string {
  const { policy, point, decision, shadow } = one;
  return JSON.stringify([policy, point, decision, shadow === true]);
}
