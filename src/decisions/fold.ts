import type { RequiresConfirmation, ToolDecision } from './tool-decision.ts';

/** One policy's last word on one call. */
export interface ToolVote {
  readonly policy: string;
  readonly version?: string | undefined;
  /** Absent for an abstention. */
  readonly decision: ToolDecision | undefined;
}

/** What the whole chain says about one call. */
export type ToolVerdict =
  | { readonly type: 'run' }
  | { readonly type: 'block'; readonly policy: string; readonly reason: string }
  | { readonly type: 'retry-with-feedback'; readonly feedback: readonly NamedFeedback[] }
  | { readonly type: 'confirm'; readonly requirements: readonly ConfirmationVote[] }
  | { readonly type: 'no-opinion' };

export interface NamedFeedback {
  readonly policy: string;
  readonly feedback: string;
}

interface ConfirmationVote {
  readonly policy: string;
  readonly version?: string;
  readonly decision: RequiresConfirmation;
}

/**
 * Folds the votes on one call. Most restrictive wins, whatever the order:
 *
 * | any vote is           | the call                                  |
 * |-----------------------|-------------------------------------------|
 * | block                 | is blocked, by the first policy to say so |
 * | retry-with-feedback   | discards the response, with all feedback  |
 * | requires-confirmation | waits, with all prompts                   |
 * | allow                 | runs                                      |
 * | none of these         | has no opinion: the tier decides          |
 *
 * Modify and abstain are no verdicts.
 */
export function foldToolVotes(votes: readonly ToolVote[]): ToolVerdict {
  const feedback: NamedFeedback[] = [];
  const requirements: ConfirmationVote[] = [];
  let allowed = false;
  for (const { policy, version, decision } of votes) {
    if (decision === undefined) continue;
    if (decision.type === 'block') return { type: 'block', policy, reason: decision.reason };
    if (decision.type === 'retry-with-feedback')
      feedback.push({ policy, feedback: decision.feedback });
    if (decision.type === 'requires-confirmation') {
      requirements.push({ policy, ...(version !== undefined && { version }), decision });
    }
    if (decision.type === 'allow') allowed = true;
  }
  if (feedback.length > 0) return { type: 'retry-with-feedback', feedback };
  if (requirements.length > 0) return { type: 'confirm', requirements };
  return allowed ? RUN : NO_OPINION;
}

const RUN: ToolVerdict = Object.freeze({ type: 'run' });
const NO_OPINION: ToolVerdict = Object.freeze({ type: 'no-opinion' });

/** The longest feedback one policy may add; what is longer is cut. */
export const MAX_FEEDBACK_CHARS = 500;

/** Joins the feedback of several policies in their order, each named and cut to `MAX_FEEDBACK_CHARS`. */
export function joinFeedback(feedback: readonly NamedFeedback[]): string {
  return feedback
    .map(
      (entry) => `[${entry.policy}] ${entry.feedback.slice(0, MAX_FEEDBACK_CHARS).toWellFormed()}`,
    )
    .join('\n');
}
