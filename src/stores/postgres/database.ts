import { StoreAccessError } from '../../errors/store-error.ts';
import type { Row } from '../records.ts';
import { repeat } from '../remote/repeat.ts';
import { withDeadline } from '../remote/with-deadline.ts';
import { COLUMN_TYPES, type PostgresClient, type PostgresPool, type SqlValue } from './driver.ts';
import { isLost, isReadOnly, mayPass, postgresFailure } from './failure.ts';
import { refusedPool } from './refused-pool.ts';

export interface DatabaseOptions {
  readonly pool: PostgresPool;
  /** Whether the pool ends with the store. */
  readonly ownsPool: boolean;
  /** The schema of the tables, as the app named it. */
  readonly schema: string;
  /** How long one request may take, repeats included, in milliseconds. */
  readonly timeoutMs: number;
}

/** Runs one statement in a transaction that is open. */
export type Run = (text: string, values?: SqlValue[]) => Promise<readonly Row[]>;

interface Task<T> {
  readonly work: (run: Run) => Promise<T>;
  /** Whether the connection is as it was before, also after the server has refused. */
  readonly endsClean: boolean;
  /** Set where the time is that of each statement, and not of all together. */
  readonly isLong?: true;
  readonly own?: ((error: unknown) => Error | undefined) | undefined;
}

/**
 * Statements on a pool, each in the time of a request. One that a broken connection got in the way of is repeated,
 * so every statement given here has to do the same the second time.
 */
export class Database {
  /** How errors name this store. */
  readonly where: string;
  /** The name of the schema. */
  readonly name: string;
  /** The schema as it is written in a statement. */
  readonly schema: string;
  /** How long one request may take, repeats included, in milliseconds. */
  readonly timeoutMs: number;
  readonly #options: DatabaseOptions;
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.where = `postgresStore '${options.schema}'`;
    this.name = options.schema;
    this.schema = quoted(options.schema);
    this.timeoutMs = options.timeoutMs;
  }

  /** Throws a `StoreAccessError`; or what `own` makes of an error that a function of this store raised. */
  query(
    text: string,
    values: SqlValue[],
    own?: (error: unknown) => Error | undefined,
  ): Promise<readonly Row[]> {
    return this.#repeated({ work: (run) => run(text, values), endsClean: true, own });
  }

  /** All of the work, or nothing of it. It may be done again from its start. */
  transaction<T>(steps: (run: Run) => Promise<T>): Promise<T> {
    // The end of its connection is what undoes one that fails.
    return this.#repeated({ work: asOne(steps), endsClean: false });
  }

  /** As `transaction`, for work that grows with what is stored: each of its statements has the time of a request. */
  longTransaction<T>(steps: (run: Run) => Promise<T>): Promise<T> {
    return this.#repeated({ work: asOne(steps), endsClean: false, isLong: true });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { pool, ownsPool } = this.#options;
    if (!ownsPool) return;
    try {
      await withDeadline(pool.end(), this.timeoutMs);
    } catch (error) {
      throw postgresFailure(error, this.where);
    }
  }

  async #repeated<T>(task: Task<T>): Promise<T> {
    try {
      return await repeat({
        timeoutMs: this.timeoutMs,
        mayPass: (error) => error instanceof DriverFailure && mayPass(error.cause),
        attempt: (leftMs) => this.#attempt(task, leftMs),
      });
    } catch (error) {
      // What the work itself has thrown is told as it is.
      if (!(error instanceof DriverFailure)) throw error;
      throw task.own?.(error.cause) ?? postgresFailure(error.cause, this.where);
    }
  }

  async #attempt<T>({ work, endsClean, isLong }: Task<T>, leftMs: number): Promise<T> {
    if (this.#closed) throw new StoreAccessError('closed', this.where);
    const until = performance.now() + leftMs;
    const connecting = this.#options.pool.connect();
    const client = await withDeadline(connecting, leftMs, giveBack).catch(fromDriver);
    requireClient(client);
    // An error between two answers would end the process; the statement after it fails by itself.
    client.on('error', ignore);
    let broken = true;
    try {
      const run: Run = async (text, values = []) => {
        const query = { text, values, types: COLUMN_TYPES };
        const left = isLong ? leftMs : Math.max(until - performance.now(), 1);
        const { rows } = await withDeadline(client.query(query), left).catch(fromDriver);
        return rows as readonly Row[]; // The driver makes one object of columns per row.
      };
      const result = await work(run);
      broken = false;
      return result;
    } catch (error) {
      broken = !(endsClean && error instanceof DriverFailure && isAnswered(error.cause));
      throw error;
    } finally {
      client.removeListener('error', ignore);
      client.release(broken);
    }
  }
}

function asOne<T>(steps: (run: Run) => Promise<T>): (run: Run) => Promise<T> {
  return async (run) => {
    // In any other level a look after a lock sees what was there before it.
    await run('BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await steps(run);
    await run('COMMIT');
    return result;
  };
}

/** Tells what the driver threw from what others did. Never leaves this file. */
class DriverFailure extends Error {
  constructor(cause: unknown) {
    super('the driver failed', { cause });
  }
}

function fromDriver(cause: unknown): never {
  throw new DriverFailure(cause);
}

/** A statement that the server refused leaves its connection as it was. One to a server that only reads is of no more use. */
function isAnswered(error: unknown): boolean {
  const severity: unknown = error instanceof Error ? Reflect.get(error, 'severity') : undefined;
  return severity === 'ERROR' && !isLost(error) && !isReadOnly(error);
}

/** A connection of `pg` connects as a pool does, and can be given to no other request. */
function requireClient(client: PostgresClient): void {
  if (typeof client?.query === 'function' && typeof client.release === 'function') return;
  throw refusedPool('connects, but gives no client that can be released');
}

function ignore(): void {}

function giveBack(client: PostgresClient): void {
  client.release();
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
