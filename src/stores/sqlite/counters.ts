import type { Counters, IncrementOptions } from '../../protocol/counters.ts';
import { outOfRange, requireCounterKey, requireIncrement } from '../increment.ts';
import { readNumber } from '../records.ts';
import type { Connection } from './connection.ts';

const PLACE = { table: 'counters', thread: 'of all', key: 'value' };

/** The counters of one file. Each increment is a transaction of its own, on the disk when it returns. */
export class SqliteCounters implements Counters {
  readonly #connection: Connection;
  readonly #now: () => number;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  increment(key: string, options?: IncrementOptions): number {
    const { by, max, expiresInMs } = requireIncrement(key, options);
    return this.#connection.write(() => {
      // Looked at once it is alone: its turn may have come late.
      const now = this.#now();
      const before = this.#current(key, now);
      const value = (before ?? 0) + by;
      if (!Number.isSafeInteger(value)) throw outOfRange();
      if (max !== undefined && value > max) return value;
      if (before === undefined) this.#begin(key, { value, now, expiresInMs });
      else this.#connection.run('UPDATE counters SET value = ? WHERE key = ?', [value, key]);
      return value;
    });
  }

  read(key: string): number {
    return this.#current(requireCounterKey(key), this.#now()) ?? 0;
  }

  #current(key: string, now: number): number | undefined {
    const [row] = this.#connection.all(
      'SELECT value FROM counters WHERE key = ? AND (expires_at IS NULL OR expires_at > ?)',
      [key, now],
    );
    return row && readNumber(row['value'], PLACE);
  }

  /** Takes the chance to remove some that ran out: more than are begun, so that they do not pile up. */
  #begin(
    key: string,
    count: {
      readonly value: number;
      readonly now: number;
      readonly expiresInMs: number | undefined;
    },
  ): void {
    const { value, now, expiresInMs } = count;
    this.#connection.run(
      `DELETE FROM counters WHERE key IN (
         SELECT key FROM counters WHERE expires_at <= ? ORDER BY expires_at LIMIT 20)`,
      [now],
    );
    this.#connection.run(
      'INSERT OR REPLACE INTO counters (key, value, expires_at) VALUES (?, ?, ?)',
      [key, value, expiresInMs === undefined ? null : now + expiresInMs],
    );
  }
}
