import { StoreAccessError, type StoreError, type StoreFailure } from '../../errors/store-error.ts';
import type { Row } from '../records.ts';
import type { SqliteDriver, SqliteStatement, SqlValue } from './driver.ts';

/**
 * One open database: statements prepared once, transactions, and every failure of the driver as a
 * `StoreAccessError` that keeps it as its cause.
 */
export class Connection {
  /** How errors name this store. */
  readonly where: string;
  readonly #driver: SqliteDriver;
  readonly #statements = new Map<string, SqliteStatement>();
  #closed = false;

  constructor(driver: SqliteDriver, where: string) {
    this.#driver = driver;
    this.where = where;
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  exec(sql: string): void {
    this.#refuseClosed();
    try {
      this.#driver.exec(sql);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Returns how many rows changed. */
  run(sql: string, values: readonly SqlValue[]): number {
    this.#refuseClosed();
    try {
      return this.#statement(sql).run(values);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  all(sql: string, values: readonly SqlValue[] = []): readonly Row[] {
    this.#refuseClosed();
    try {
      return this.#statement(sql).all(values);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Several reads of one moment. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work);
  }

  /** All of the work, or nothing. Waits for its turn to write before it reads, so that what it read still holds. */
  write<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    try {
      this.#driver.close();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.exec(begin);
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack(error);
      throw error;
    }
  }

  /** A connection that cannot roll back would hold the lock and mix two commits: it is given up instead. */
  #rollBack(reason: unknown): void {
    try {
      this.#driver.exec('ROLLBACK');
    } catch (error) {
      // SQLite has done it by itself, as after a full disk.
      if (error instanceof Error && error.message.includes('no transaction is active')) return;
      const cause = new AggregateError([reason, error], 'a write and its rollback failed');
      this.close();
      throw new StoreAccessError('failed', this.where, {
        what: 'a failed write could not be undone, and the store was closed',
        cause,
      });
    }
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#driver.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #refuseClosed(): void {
    if (this.#closed) throw new StoreAccessError('closed', this.where);
  }

  #failure(cause: unknown): StoreError {
    const code = this.#driver.resultCode(cause);
    const failure = code === undefined ? undefined : FAILURES.get(code & PRIMARY_CODE);
    return new StoreAccessError(failure ?? 'failed', this.where, { cause });
  }
}

/** The low byte of a result code says what happened, the rest says it in more detail. */
const PRIMARY_CODE = 0xff;

const FAILURES: ReadonlyMap<number, StoreFailure> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [11, 'unreadable'],
  [13, 'full'],
  [26, 'unreadable'],
]);
