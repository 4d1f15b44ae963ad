import { AgentHooksError } from './base.ts';

/**
 * `budget-reached`: what is left does not cover a call; ends the turn `limited`. `budget-unknown`: the app did not say
 * who spends, or how much they may. `counters-failed`: what was spent could not be read or counted. The last two end the
 * turn `failed`: nobody knows then what is left.
 */
export type BudgetErrorCode = 'budget-reached' | 'budget-unknown' | 'counters-failed';

/** The `Usage` of a call; the errors know nothing of the protocol. */
interface SpentTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** A model was not called, or not any further, because of a budget. Holds neither the key of who spends nor an amount. */
export class BudgetError extends AgentHooksError {
  readonly code: BudgetErrorCode;
  /** The name of the budget. */
  readonly budget: string;
  /** Of a call that was made, and then could not be counted. */
  readonly usage?: SpentTokens;

  constructor(
    code: BudgetErrorCode,
    budget: string,
    facts: { readonly cause?: unknown; readonly usage?: SpentTokens } = {},
  ) {
    const { cause, usage } = facts;
    super(
      { where: `budget '${budget}'`, what: WHAT[code], fix: FIX[code] },
      'cause' in facts ? { cause } : undefined,
    );
    this.name = 'BudgetError';
    this.code = code;
    this.budget = budget;
    if (usage !== undefined) this.usage = usage;
  }
}

const WHAT: Record<BudgetErrorCode, string> = {
  'budget-reached': 'what is left of it does not cover a call',
  'budget-unknown': 'its `key` or `limit` did not give one',
  'counters-failed': 'what was spent could not be read or counted',
};

const FIX: Record<BudgetErrorCode, string> = {
  'budget-reached': 'Wait for its next window, or raise its limit',
  'budget-unknown':
    'Give a text as the key, or `null` for a run without this budget, and a number from 0 as the limit',
  'counters-failed':
    'See `cause`; no further call was made. What was reserved for the last one stays counted where it could not be settled',
};
