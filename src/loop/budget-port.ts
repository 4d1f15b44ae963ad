import type { JsonValue } from '../protocol/json.ts';

/** What a budget may go by when it says who spends. */
export interface BudgetRun<Context = unknown> {
  /** What the app passed to `run`, untouched. */
  readonly context: Context;
  readonly threadId: string;
  /** The agents above this one, outermost first. */
  readonly agentPath: readonly string[];
  readonly sender: JsonValue;
  readonly channel: JsonValue;
  readonly session: JsonValue;
}

/** A budget as the loop sees it. Amounts are what is counted: tokens, or millionths of the currency. */
export interface BudgetPort {
  readonly name: string;
  readonly unit: 'cost' | 'tokens';
  readonly reserve: number;
  /** The app's: may throw, and may give anything. */
  readonly keyOf: (run: BudgetRun) => unknown;
  /** In the unit of the budget. The app's: may throw, and may give anything. */
  readonly limitOf: (run: BudgetRun) => unknown;
  readonly windowAt: (now: number) => BudgetWindow;
}

export interface BudgetWindow {
  /** The same for every moment of the window, and for no other. */
  readonly id: string;
  /** When nobody reads what was counted in it any more, in milliseconds from any moment of it. */
  readonly expiresInMs?: number;
}

/** Down to what is counted, so that a limit is never passed by rounding. */
export function countedLimit(unit: BudgetPort['unit'], amount: number): number {
  return unit === 'tokens' ? Math.floor(amount) : Math.floor(thousandths(amount));
}

/** Up to what is counted, so that no spending is lost by rounding: what is above nothing counts at least one. */
export function countedSpending(unit: BudgetPort['unit'], amount: number): number {
  if (unit === 'tokens') return Math.ceil(amount);
  return amount === 0 ? 0 : Math.max(1, Math.ceil(thousandths(amount)));
}

/** What was counted, in the unit of the budget. */
export function amountOf(unit: BudgetPort['unit'], counted: number): number {
  return unit === 'tokens' ? counted : counted / 1e6;
}

/** Costs are exact to a billionth, which a product of fractions is not. */
function thousandths(amount: number): number {
  return Math.round(amount * 1e9) / 1e3;
}
