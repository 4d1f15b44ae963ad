import { AgentHooksError } from './base.ts';

/**
 * Why a history was not compacted. `blocked`: a policy refused the summary, or the request for it. `policy-failed`:
 * one failed where that is closed. `model-failed`: the model did, see `cause`. `unusable`: no text, one that was cut
 * off, or too long a one. `no-progress`: the summary is no shorter than what it stands for. `nothing-to-compact`: all
 * there is has to stay. `attempts-exhausted`: the process ended during the call too often. `not-counted`: `countTokens` threw, or gave no number. `not-configured`: the agent
 * has no `compaction` any more.
 */
export type CompactionProblem =
  | 'blocked'
  | 'policy-failed'
  | 'model-failed'
  | 'unusable'
  | 'no-progress'
  | 'nothing-to-compact'
  | 'attempts-exhausted'
  | 'not-counted'
  | 'not-configured';

/**
 * A summary could not take the place of the history, which stays as it was. Over `maxTokens` policies are only told,
 * and the turn goes on; after the provider refused a request as too long, it ends the turn.
 */
export class CompactionError extends AgentHooksError {
  readonly code = 'compaction-failed';
  readonly problem: CompactionProblem;

  constructor(
    failure: { readonly threadId: string; readonly problem: CompactionProblem },
    options?: { readonly cause?: unknown },
  ) {
    const { threadId, problem } = failure;
    const where = `compaction of thread '${threadId}'`;
    super({ where, what: WHAT[problem], fix: FIX[problem] }, options);
    this.name = 'CompactionError';
    this.problem = problem;
  }
}

const WHAT: { readonly [problem in CompactionProblem]: string } = {
  blocked: 'a policy refused the summary or the request for it',
  'policy-failed': 'a policy failed, and is closed there',
  'model-failed': 'the model gave no summary',
  unusable: 'the summary is empty, was cut off, or is too long',
  'no-progress': 'the summary is no shorter than what it was to stand for',
  'nothing-to-compact': 'everything in the context has to stay',
  'attempts-exhausted': 'the process ended during the call for the summary too often',
  'not-counted': '`compaction.countTokens` threw, or gave no number of tokens',
  'not-configured': 'the agent has no `compaction` any more',
};

const FIX: { readonly [problem in CompactionProblem]: string } = {
  blocked: 'See `hook.decided`; let calls with `ctx.purpose` `compaction` pass',
  'policy-failed': 'See `cause`, and fix the policy',
  'model-failed': 'See `cause`; the next turn tries again',
  unusable: 'Raise `compaction.maxSummaryTokens`, or use another `compaction.model`',
  'no-progress': 'Lower `compaction.maxSummaryTokens` or `compaction.keepTokens`',
  'nothing-to-compact':
    'Shorten the message or the results of tools, or use a model with a larger context',
  'attempts-exhausted': 'Find out what ends the process; the next turn tries again',
  'not-counted': 'See `cause`; give a number from 0, at once',
  'not-configured': 'Give the agent the option `compaction` again',
};
