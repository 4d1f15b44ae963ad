import * as z from 'zod';
import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { countedLimit, countedSpending } from '../loop/budget-port.ts';
import { firstProblem } from '../protocol/message-schema.ts';
import { isTimeZone } from './check-language.ts';

const WHERE = 'budgets';
const budgetSchema = builtWhenUsed(() => {
  // What is counted stays exact: millionths of it are whole numbers.
  const amount = z.number().positive().max(9_000_000_000);
  const isFunction = z.custom<unknown>((value) => typeof value === 'function', 'is no function');
  return z.object({
    name: z.string().regex(/^[\w-]{1,64}$/, 'is no name of 1 to 64 letters, digits, `-` and `_`'),
    key: isFunction,
    limit: z.union([amount, isFunction], 'is no number above 0 and no function'),
    unit: z.enum(['cost', 'tokens']).optional(),
    per: z.enum(['hour', 'day', 'month', 'always']),
    timeZone: z.custom<unknown>(isTimeZone, 'is no time zone').optional(),
    reserve: amount,
  });
});

/** Refuses budgets that could not be kept to. */
export function checkBudgets(options: object): void {
  const budgets: unknown = Reflect.get(options, 'budgets');
  if (!Array.isArray(budgets)) return;
  const names = new Set<string>();
  for (const budget of budgets) {
    const { name, unit } = checkBudget(budget);
    if (unit !== 'tokens' && Reflect.get(options, 'prices') === undefined)
      throw invalid(
        `'${name}' needs to know what models cost`,
        'Pass `prices`, with one for each model, or count tokens',
      );
    if (names.has(name)) throw invalid(`two have the name '${name}'`, 'Give each its own');
    names.add(name);
  }
}

/** Gives back what the budgets of one agent are held against each other by. */
export function checkBudget(budget: unknown): {
  readonly name: string;
  readonly unit?: 'cost' | 'tokens' | undefined;
} {
  const read = budgetSchema().safeParse(budget);
  if (!read.success)
    throw invalid(
      firstProblem(read.error),
      'Each needs a `name`, a `key`, a `limit`, a `per` and a `reserve`',
    );
  checkKeys(WHERE, Object(budget), Object.keys(budgetSchema().shape));
  const { name, limit, reserve, unit = 'cost' } = read.data;
  if (typeof limit === 'number' && countedSpending(unit, reserve) > countedLimit(unit, limit))
    throw invalid(
      `'${name}' reserves more for a call than its limit, so none would ever be made`,
      'Reserve what one call should cost at most',
    );
  if (unit === 'tokens' && !Number.isInteger(reserve))
    throw invalid(`'${name}' reserves a part of a token`, 'Give a whole number');
  return read.data;
}

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where: WHERE, what, fix });
}
