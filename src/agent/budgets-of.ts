import type { BudgetPort, BudgetRun, BudgetWindow } from '../loop/budget-port.ts';
import { countedSpending } from '../loop/budget-port.ts';

/**
 * What all runs with the same key may spend together in one window, over threads, agents and processes that share the
 * counters: each tenant 20 euros a day, say.
 *
 * Before each call of a model `reserve` is taken out, in one step that only succeeds where so much is left; afterwards it
 * is replaced by what the call has cost. So two runs at once cannot both have the last of it, and more than `limit` is
 * spent only where a call costs more than was reserved for it. Every call of the engine counts, once: main calls,
 * summaries and those of subagents, rejected and repeated answers, and what `retryModel` and `fallbackModel` report of
 * attempts that failed. Calls that policies and tools make of models of their own do not.
 *
 * Errs on the side of too much: a call that was cut off, timed out or cancelled, whose process ended, or whose model
 * reports no usage counts what was reserved for it, until its window ends. One that the provider turned down counts
 * nothing. A model without a price counts what was reserved, and no further call of the turn is made; with
 * `unpriced: 'free'` it counts nothing.
 *
 * A run that finds no room ends `limited` (`limit: 'budget'`, with the name in `budget`); a new message is then not stored.
 * Counters that cannot be reached, or a key or limit that is none, end it `failed` with a `BudgetError`: no model is
 * called that could not be counted. Ours; the sources count for a thread at most.
 */
export interface Budget<Context = unknown> {
  /** In results and errors, and of the counters: budgets of one name, unit and window are one, whichever agent has them. Letters, digits, `-` and `_`. */
  readonly name: string;
  /**
   * Who spends: a text such as the id of a tenant, `null` for a run that this budget does not bind. Anything else,
   * `undefined` and the empty text included, ends the run `failed`. Called at once and without waiting for each call of a
   * model. Never trust the model or the user with it: take it from what the app itself put into `context` or `session`.
   */
  readonly key: (run: BudgetRun<Context>) => string | null;
  /** In the currency of `prices`, or in tokens. A function gives one for each key, such as by the plan of a tenant. */
  readonly limit: number | ((run: BudgetRun<Context>) => number);
  /** Default: `cost`, which needs `prices`. Counted in millionths; what a call costs is rounded up to one. */
  readonly unit?: 'cost' | 'tokens';
  /** How long a window is: an hour, a day or a month of the calendar, by the clock of each process; or `always`, for one without an end. */
  readonly per: 'hour' | 'day' | 'month' | 'always';
  /** Where days and months begin, such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
  /**
   * What one call should cost at most, in the unit of the limit. A run begins no call when less than this is left. Too
   * small, and calls that are under way together may pass the limit by what they cost more; too large, and the last of
   * the budget is never used.
   */
  readonly reserve: number;
}

/** As the loop takes them. What `Context` is stays between the app and its agent. */
export function budgetsOf(budgets: readonly Budget<never>[]): readonly BudgetPort[] {
  return budgets.map((budget) => {
    const { name, key, limit, unit = 'cost', per, timeZone } = budget;
    return Object.freeze({
      name,
      unit,
      reserve: countedSpending(unit, budget.reserve),
      keyOf: key as (run: BudgetRun) => unknown,
      limitOf: typeof limit === 'number' ? () => limit : (limit as (run: BudgetRun) => unknown),
      windowAt: windows(per, timeZone),
    });
  });
}

const HOUR_MS = 3_600_000;

/** A window of the calendar, kept for as long again as it lasts, as a call may end after it. */
function windows(per: Budget['per'], timeZone = 'UTC'): (now: number) => BudgetWindow {
  switch (per) {
    case 'always':
      return () => ({ id: 'always' });
    case 'hour':
      return (now) => ({ id: `hour-${Math.floor(now / HOUR_MS)}`, expiresInMs: 2 * HOUR_MS });
    case 'day':
    case 'month': {
      const isDay = per === 'day';
      const names = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
        timeZone,
        year: 'numeric',
        month: '2-digit',
        ...(isDay && { day: '2-digit' }),
      });
      const expiresInMs = (isDay ? 49 : 62 * 24) * HOUR_MS;
      return (now) => {
        const parts = names.formatToParts(now).filter(({ type }) => type !== 'literal');
        // In the order of the calendar, whatever the order of the language is.
        const said = parts.map(({ type, value }) => `${type}-${value}`).sort();
        return { id: [per, ...said.reverse()].join('-'), expiresInMs };
      };
    }
  }
}
