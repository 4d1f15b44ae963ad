/** What is used of a pool of `pg`, so that its types need not be installed; other drivers with its interface fit too. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
}

export interface PostgresClient {
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>;
  /** With an error or `true` the connection is closed and not used again. */
  release(error?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PostgresQuery {
  readonly text: string;
  readonly values?: SqlValue[];
  /** How columns are read, whatever the app set for all of its queries. */
  readonly types: { getTypeParser(oid: number): (text: string) => unknown };
}

export type SqlValue = string | number | null | readonly (string | number | null)[];

/** Numbers are read as such where JavaScript can hold them; all else is text, as the server wrote it. */
export const COLUMN_TYPES: PostgresQuery['types'] = {
  getTypeParser: (oid) => (NUMBERS.has(oid) ? Number : String),
};

/** The types of numbers by their fixed ids: int8, int2, int4, float8. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 701]);
