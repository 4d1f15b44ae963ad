import type { Row } from '../records.ts';

/** What this store puts into a column. */
export type SqlValue = string | number | null;

export interface SqliteStatement {
  /** Returns how many rows changed. */
  run(values: readonly SqlValue[]): number;
  all(values: readonly SqlValue[]): readonly Row[];
}

/** The little of SQLite this store needs, so that any driver with a synchronous interface fits behind it. */
export interface SqliteDriver {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
  /** SQLite's own result code behind an error of this driver, extended bits included; `undefined` for any other error. */
  resultCode(error: unknown): number | undefined;
}
