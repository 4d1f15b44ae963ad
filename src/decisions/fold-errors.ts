import type { ErrorDecision } from './error-decision.ts';

/** One policy's word on one error. */
export interface ErrorVote {
  readonly policy: string;
  readonly decision: ErrorDecision;
}

/** What all policies together say to one error. `policy` names everyone who said it. */
export type ErrorVerdict =
  | { readonly type: 'abort' | 'silent' | 'recover'; readonly policy: string }
  | { readonly type: 'fallback'; readonly policy: string; readonly text: string }
  | { readonly type: 'no-opinion' };

/**
 * Folds the votes on one error. Whatever the order:
 *
 * | any vote is   | the turn                                           |
 * |---------------|----------------------------------------------------|
 * | abort         | ends, with the text for errors                     |
 * | fallback      | ends, with the text of the first policy to give one |
 * | silent        | ends, and nothing is shown                         |
 * | recover       | goes on                                            |
 * | none of these | does what it does without policies                 |
 */
export function foldErrorVotes(votes: readonly ErrorVote[]): ErrorVerdict {
  const strictest = Math.max(-1, ...votes.map(({ decision }) => RANKS.indexOf(decision.type)));
  const winning = votes.filter(({ decision }) => decision.type === RANKS[strictest]);
  const [first] = winning;
  if (first === undefined) return NO_OPINION;
  const policy = [...new Set(winning.map((vote) => vote.policy))].join(', ');
  const { decision } = first;
  return decision.type === 'fallback'
    ? { type: 'fallback', policy, text: decision.text }
    : { type: decision.type, policy };
}

/** True when the first of two verdicts, on two errors of one batch, wins over the second. */
export function isStricter(one: ErrorVerdict, other: ErrorVerdict): boolean {
  return rankOf(one) > rankOf(other);
}

function rankOf({ type }: ErrorVerdict): number {
  return type === 'no-opinion' ? -1 : RANKS.indexOf(type);
}

/** The strictest last. */
const RANKS: readonly ErrorDecision['type'][] = ['recover', 'silent', 'fallback', 'abort'];

const NO_OPINION: ErrorVerdict = Object.freeze({ type: 'no-opinion' });
