import { randomUUID } from 'node:crypto';
import type { Counters, IncrementOptions } from '../../protocol/counters.ts';
import { outOfRange, requireCounterKey, requireIncrement } from '../increment.ts';
import { readNumber } from '../records.ts';
import type { Opening } from '../remote/opening.ts';
import { keepMs } from '../remote/repeat.ts';
import type { RedisConnection } from './connection.ts';
import { INCREMENT, READ_COUNTER } from './scripts.ts';

const PLACE = { table: 'counters', thread: 'of all', key: 'value' };

/**
 * The counters under one prefix. Each increment has an id of its own, so that one whose answer was lost can be repeated
 * without being done twice.
 */
export class RedisCounters implements Counters {
  readonly #opening: Opening<RedisConnection>;
  readonly #now: () => number | '';

  constructor(opening: Opening<RedisConnection>, now: () => number | '') {
    this.#opening = opening;
    this.#now = now;
  }

  async increment(key: string, options?: IncrementOptions): Promise<number> {
    const { by, max = '', expiresInMs = '' } = requireIncrement(key, options);
    const connection = await this.#opening.ready();
    const { keys, timeoutMs } = connection;
    const said = await connection.run({
      script: INCREMENT,
      keys: [keys.counter(key), keys.increment(key, randomUUID())],
      args: [by, max, expiresInMs, keepMs(timeoutMs), this.#now()],
    });
    if (said === 'range') throw outOfRange();
    return readNumber(Number(said), PLACE);
  }

  async read(key: string): Promise<number> {
    const counter = requireCounterKey(key);
    const connection = await this.#opening.ready();
    const said = await connection.run({
      script: READ_COUNTER,
      keys: [connection.keys.counter(counter)],
      args: [this.#now()],
    });
    return readNumber(Number(said), PLACE);
  }
}
