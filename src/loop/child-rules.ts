import { totalTokens } from '../protocol/usage.ts';
import type { Rules, TurnLimits } from './rules.ts';
import { spentOf } from './spend.ts';
import type { ChildSpent } from './spent-state.ts';
import type { OpenTurn, ThreadState } from './state.ts';

/** The run above a subagent, with everything counted that has been used below it so far. */
export interface Caller {
  readonly state: ThreadState;
  readonly turn: OpenTurn;
  readonly rules: Rules;
  /** What of that is this child's own. */
  readonly own: ChildSpent | undefined;
}

/** The rules of a subagent's run: its own, as tight as what its caller has left, and the stricter of what both say. */
export function rulesBelow(rules: Rules, caller: Caller): Rules {
  const above = caller.rules;
  const prices = rules.prices ?? above.prices;
  return {
    ...rules,
    limits: { ...rules.limits, ...tightest(rules.limits, caller) },
    ...(prices !== undefined && { prices: { ...above.prices, ...rules.prices } }),
    unpriced: above.unpriced === 'stop' ? 'stop' : rules.unpriced,
    keepDiscarded: above.keepDiscarded && rules.keepDiscarded,
  };
}

/** A child's turn has used what is its own already, so that is added to what is left. */
function tightest(own: TurnLimits, { state, turn, rules, own: used }: Caller): TurnLimits {
  const { limits } = rules;
  const ofTurn = amounts(spentOf(turn));
  const ofThread = amounts({ ...state.totals });
  const ofChild = used === undefined ? NOTHING : amounts(used);
  const tight: { -readonly [limit in keyof TurnLimits]: TurnLimits[limit] } = {};
  for (const limit of ['steps', 'tokens', 'cost'] as const) {
    const left = [
      own[limit] ?? Number.POSITIVE_INFINITY,
      (limits[limit] ?? Number.POSITIVE_INFINITY) - ofTurn[limit] + ofChild[limit],
      (limits.thread?.[limit] ?? Number.POSITIVE_INFINITY) - ofThread[limit] + ofChild[limit],
    ];
    const least = Math.min(...left);
    if (Number.isFinite(least)) tight[limit] = least;
  }
  return tight;
}

type Amounts = { readonly [limit in 'steps' | 'tokens' | 'cost']: number };

const NOTHING: Amounts = { steps: 0, tokens: 0, cost: 0 };

function amounts({ steps, usage, cost = 0 }: ChildSpent): Amounts {
  return { steps, tokens: totalTokens(usage), cost };
}

/** Milliseconds the caller has left for everything below it; nothing where its time has no limit. */
export function timeLeft({ state, turn, rules }: Caller, tick: number): number | undefined {
  const { wallTimeMs, thread } = rules.limits;
  const now = tick - turn.activeSince;
  const left = Math.min(
    (wallTimeMs ?? Number.POSITIVE_INFINITY) - turn.activeMs - now,
    (thread?.wallTimeMs ?? Number.POSITIVE_INFINITY) - (state.totals.activeMs ?? 0) - now,
  );
  return Number.isFinite(left) ? Math.max(0, left) : undefined;
}
