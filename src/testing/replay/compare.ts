import { HOOK_POINTS } from '../../hooks/points.ts';
import type { Course, Diverged, ReplayDecision } from './course.ts';
import type { Footprint, Footprints } from './footprints.ts';

/** One place at which two sets of policies part. Each side is absent where that set said nothing there. */
export type ReplayDifference =
  | {
      readonly type: 'decision';
      readonly turn: number;
      readonly step: number;
      readonly hooks?: ReplayDecision;
      readonly against?: ReplayDecision;
      /** True behind the divergence of either. */
      readonly after: boolean;
    }
  /**
   * The decisions are the same up to here, and yet the model was sent, a tool was given or the user was shown
   * something else: a rewrite or a feedback differs. The first of a conversation only, as the rest follows from it.
   */
  | {
      readonly type: 'rewrite';
      readonly turn: number;
      readonly step: number;
      readonly what: Footprint['what'];
      readonly call?: number;
      readonly after: boolean;
    };

type DecisionDifference = Extract<ReplayDifference, { readonly type: 'decision' }>;

interface Side {
  readonly course: Course;
  readonly footprints: Footprints | undefined;
}

/** Every difference between what two sets of policies made of one conversation, in its order. */
export function differences(hooks: Side, against: Side): readonly ReplayDifference[] {
  const isBehind = behind([hooks.course.diverged, against.course.diverged]);
  const decided = decisionDifferences(hooks.course.decisions, against.course.decisions).map(
    (one) => (isBehind(one) ? { ...one, after: true } : one),
  );
  const rewrite = firstRewrite(hooks.footprints?.all ?? [], against.footprints?.all ?? []);
  const first = decided[0];
  // Behind a decision that differs, everything may.
  if (rewrite === undefined || (first !== undefined && !isBefore(rewrite, first))) return decided;
  return [rewrite, ...decided];
}

/** What only one side says has to be behind the divergence of the other, too: it was played all the same. */
function behind(ends: readonly (Diverged | undefined)[]): (one: DecisionDifference) => boolean {
  return ({ turn, step }) =>
    ends.some(
      (end) => end !== undefined && (turn > end.turn || (turn === end.turn && step > end.step)),
    );
}

function decisionDifferences(
  ours: readonly ReplayDecision[],
  theirs: readonly ReplayDecision[],
): readonly DecisionDifference[] {
  const others = new Map(keyed(theirs));
  const found: DecisionDifference[] = [];
  for (const [key, hooks] of keyed(ours)) {
    const against = others.get(key);
    others.delete(key);
    if (against !== undefined && isSame(hooks, against)) continue;
    const after = hooks.after || against?.after === true;
    const { turn, step } = hooks;
    found.push({ type: 'decision', turn, step, hooks, ...(against && { against }), after });
  }
  for (const against of others.values()) {
    const { turn, step, after } = against;
    found.push({ type: 'decision', turn, step, against, after });
  }
  return found.sort((a, b) => a.turn - b.turn || a.step - b.step || orderOf(a) - orderOf(b));
}

/** Points are listed as they are asked. */
function orderOf({ hooks, against }: DecisionDifference): number {
  const point = (hooks ?? against)?.point;
  return HOOK_POINTS.findIndex((one) => one === point);
}

/** By where it was said and by whom; the same policy may be asked several times at one place. */
function keyed(decisions: readonly ReplayDecision[]): readonly [string, ReplayDecision][] {
  const seen = new Map<string, number>();
  return decisions.map((one) => {
    const { turn, step, policy, point, call, toolName, again } = one;
    const place = JSON.stringify([turn, step, policy, point, call, toolName, again]);
    const nth = seen.get(place) ?? 0;
    seen.set(place, nth + 1);
    return [`${place}${nth}`, one];
  });
}

function isSame(a: ReplayDecision, b: ReplayDecision): boolean {
  return a.decision === b.decision && a.reason === b.reason && a.shadow === b.shadow;
}

function firstRewrite(
  ours: readonly Footprint[],
  theirs: readonly Footprint[],
): Extract<ReplayDifference, { readonly type: 'rewrite' }> | undefined {
  const length = Math.min(ours.length, theirs.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [ours[at], theirs[at]];
    if (a === undefined || b === undefined) return undefined;
    const isThere = a.turn === b.turn && a.step === b.step && a.what === b.what;
    if (isThere && a.digest === b.digest) continue;
    const { turn, step, what, call } = a;
    const after = a.after || b.after;
    return { type: 'rewrite', turn, step, what, ...(call !== undefined && { call }), after };
  }
  return undefined;
}

function isBefore(a: ReplayDifference, b: ReplayDifference): boolean {
  return a.turn < b.turn || (a.turn === b.turn && a.step < b.step);
}
