import { ConfigError } from '../errors/config-error.ts';

/** How many items a page holds; all of them when no limit is given. */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (limit >= 0 && (Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY)) return limit;
  throw new ConfigError('invalid-option', {
    where: 'page of a store',
    what: '`limit` is no whole number from 0',
    fix: 'Give a number of items, or leave it out to read all',
  });
}
