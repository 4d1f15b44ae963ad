import { randomUUID } from 'node:crypto';
import type { Counters, IncrementOptions } from '../../protocol/counters.ts';
import { outOfRange, requireCounterKey, requireIncrement } from '../increment.ts';
import { readNumber } from '../records.ts';
import type { Opening } from '../remote/opening.ts';
import { codeOf } from '../remote/plain-cause.ts';
import { keepMs } from '../remote/repeat.ts';
import type { Database } from './database.ts';
import { OUT_OF_RANGE } from './schema.ts';

const PLACE = { table: 'counters', thread: 'of all', key: 'value' };

/**
 * The counters of one schema. Each increment has an id of its own, so that one whose answer was lost can be repeated
 * without being done twice.
 */
export class PostgresCounters implements Counters {
  readonly #opening: Opening<Database>;
  readonly #now: () => number | null;

  constructor(opening: Opening<Database>, now: () => number | null) {
    this.#opening = opening;
    this.#now = now;
  }

  async increment(key: string, options?: IncrementOptions): Promise<number> {
    const { by, max = null, expiresInMs = null } = requireIncrement(key, options);
    const database = await this.#opening.ready();
    const [row] = await database.query(
      `SELECT ${database.schema}.increment_counter($1, $2, $3, $4, $5, $6, $7) AS value`,
      [key, by, max, expiresInMs, randomUUID(), keepMs(database.timeoutMs), this.#now()],
      (error) => (codeOf(error) === OUT_OF_RANGE ? outOfRange() : undefined),
    );
    return readNumber(row?.['value'], PLACE);
  }

  async read(key: string): Promise<number> {
    const counter = requireCounterKey(key);
    const database = await this.#opening.ready();
    const [row] = await database.query(
      `SELECT value FROM ${database.schema}.counters WHERE key = $1 AND (expires_at IS NULL
         OR expires_at > coalesce($2::float8, extract(epoch FROM clock_timestamp()) * 1000))`,
      [counter, this.#now()],
    );
    return row === undefined ? 0 : readNumber(row['value'], PLACE);
  }
}
