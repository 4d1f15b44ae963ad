import { accountOf } from '../loop/budget-account.ts';
import { amountOf, type BudgetRun } from '../loop/budget-port.ts';
import type { Counters } from '../protocol/counters.ts';
import { type Budget, budgetsOf } from './budgets-of.ts';
import { checkBudget } from './check-budgets.ts';

/** How a budget stands, in its unit. */
export interface BudgetState {
  /** What was spent in the window of now, with what is reserved for calls that are under way. May be above the limit. */
  readonly spent: number;
  readonly limit: number;
}

/**
 * How the budget of somebody stands now, as to show a tenant what is left. `run`: what `key` and `limit` go by, of which
 * `context` alone is enough for most; the rest is empty where it is left out. `counters`: those that the agents count in,
 * such as `store.counters`. Counts nothing. Gives `undefined` where the budget does not bind such a run. Rejects with a
 * `BudgetError` as a call would, and throws `ConfigError` for what is no budget.
 */
export async function readBudget<Context>(
  budget: Budget<Context>,
  of: {
    readonly counters: Counters;
    readonly run: Partial<BudgetRun<Context>> & Pick<BudgetRun<Context>, 'context'>;
  },
): Promise<BudgetState | undefined> {
  checkBudget(budget);
  const [port] = budgetsOf([budget]);
  if (port === undefined) return undefined;
  const run = {
    threadId: '',
    agentPath: [],
    sender: null,
    channel: null,
    session: null,
    ...of.run,
  };
  const account = accountOf(port, run, { counters: of.counters, now: Date.now() });
  if (account === undefined) return undefined;
  const spent = amountOf(port.unit, await account.spent());
  return Object.freeze({ spent, limit: amountOf(port.unit, account.limit) });
}
