import * as z from 'zod';
import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { firstProblem } from '../protocol/message-schema.ts';

const ownSchema = builtWhenUsed(() => {
  const count = z.int().min(1).optional();
  const cost = z.number().positive().optional();
  return z.object({ steps: count, tokens: count, cost, wallTimeMs: count });
});
const limitsSchema = builtWhenUsed(() => ownSchema().extend({ thread: ownSchema().optional() }));
const pricesSchema = builtWhenUsed(() => {
  const amount = z.number().nonnegative();
  const price = z.strictObject({ input: amount, output: amount, cachedInput: amount.optional() });
  return z.record(z.string(), price);
});

/** Refuses limits and prices that could not be kept to. */
export function checkLimits(options: object): void {
  const limits: unknown = Reflect.get(options, 'limits');
  const prices: unknown = Reflect.get(options, 'prices');
  checkPrices(prices);
  if (typeof limits !== 'object' || limits === null) return;
  const names = Object.keys(ownSchema().shape);
  checkKeys('createAgent: limits', limits, [...names, 'thread']);
  const thread: unknown = Reflect.get(limits, 'thread');
  if (typeof thread === 'object' && thread !== null)
    checkKeys('createAgent: limits.thread', thread, names);
  const read = limitsSchema().safeParse(limits);
  if (!read.success) {
    throw new ConfigError('invalid-option', {
      where: 'createAgent',
      what: `limits.${firstProblem(read.error)}`,
      fix: 'Pass whole numbers from 1, and for `cost` an amount above 0',
    });
  }
  const isCostly = read.data.cost !== undefined || read.data.thread?.cost !== undefined;
  if (!isCostly || prices !== undefined) return;
  throw new ConfigError('invalid-option', {
    where: 'createAgent: limits',
    what: 'a limit of `cost` needs to know what models cost',
    fix: 'Pass `prices`, with one for each model',
  });
}

function checkPrices(prices: unknown): void {
  if (prices === undefined) return;
  const read = pricesSchema().safeParse(prices);
  if (read.success) return;
  throw new ConfigError('invalid-option', {
    where: 'createAgent',
    what: `prices.${firstProblem(read.error)}`,
    fix: 'Give each model `{ input, output, cachedInput? }`, in your currency for a million tokens',
  });
}
