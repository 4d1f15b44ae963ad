import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { Counters } from '../protocol/counters.ts';
import { isKey } from './key.ts';
import type { ThreadStore } from './port.ts';
import { Database } from './postgres/database.ts';
import type { PostgresClient, PostgresPool, PostgresQuery, SqlValue } from './postgres/driver.ts';
import { loadPg } from './postgres/load-pg.ts';
import { refusedPool } from './postgres/refused-pool.ts';
import { PostgresStore } from './postgres/store.ts';
import { requireUrl } from './remote/require-url.ts';
import { requireTimeout } from './remote/timeout-option.ts';

export type { PostgresClient, PostgresPool, PostgresQuery, SqlValue };

interface CommonOptions {
  /** The schema that holds the tables, made when it does not exist. Default: `agent_hooks`. */
  readonly schema?: string;
  /** How long one request may take, in milliseconds, with all that is repeated after a broken connection. Default: 5000. */
  readonly timeoutMs?: number;
  /** The clock of claims and late outcomes, in milliseconds since the epoch. Default: that of the server, so that the clocks of processes do not matter. */
  readonly now?: () => number;
}

export type PostgresStoreOptions = CommonOptions &
  (
    | {
        /** Where the database is: `postgres://user:password@host/database`. Needs the package `pg`. The pool ends with the store. */
        readonly url: string;
        readonly pool?: never;
      }
    | {
        /** The app's own pool of `pg`. It is used as it is, nothing listens on it, and it stays open when the store is closed. */
        readonly pool: PostgresPool;
        readonly url?: never;
      }
  );

const OPTIONS = Object.keys({
  schema: true,
  timeoutMs: true,
  now: true,
  url: true,
  pool: true,
} satisfies Record<keyof PostgresStoreOptions, true>);

/** A `ThreadStore` that can be made ready before it is needed. */
export interface PostgresThreadStore extends ThreadStore {
  readonly counters: Counters;
  /** Connects and makes or updates the tables. The first request does so by itself; call it to learn at start of what is wrong. Throws as requests do. */
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps threads in PostgreSQL (14 or newer, encoding UTF8), for any number of processes on any number of machines.
 * A commit is one round trip and one transaction, and as durable as the server's `synchronous_commit` says. A request
 * that a broken connection or a restart gets in the way of is repeated in its time, and never done twice. The tables
 * are made and brought up to date by whoever comes first.
 *
 * Throws `ConfigError` for a wrong option or a missing package. Requests throw `StoreVersionError` for tables of a
 * newer version (which are left as they are) and `StoreAccessError` for a server that is not reached, does not answer
 * in time or refuses; no error holds the address or anything of what was stored.
 *
 * @example
 * const store = postgresStore({ url: process.env.DATABASE_URL ?? '' });
 */
export function postgresStore(options: PostgresStoreOptions): PostgresThreadStore {
  checkKeys('postgresStore', options, OPTIONS);
  const { schema = 'agent_hooks', now } = options;
  const timeoutMs = requireTimeout('postgresStore', options.timeoutMs);
  requireSchema(schema);
  if (options.pool !== undefined) requirePool(options.pool);
  const pool = options.pool ?? openPool(options.url, timeoutMs);
  const ownsPool = options.pool === undefined;
  return new PostgresStore(new Database({ pool, ownsPool, schema, timeoutMs }), now);
}

function openPool(url: unknown, timeoutMs: number): PostgresPool {
  const connectionString = requireUrl('postgresStore', url, ['postgres:', 'postgresql:']);
  const { Pool } = loadPg();
  const pool = new Pool({
    connectionString,
    application_name: 'agent-hooks',
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
  });
  // A connection that breaks while nobody uses it is replaced by the next request; unheard, it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

function requirePool(pool: unknown): void {
  if (typeof Object(pool).connect !== 'function') throw refusedPool('is no pool of connections');
}

/** PostgreSQL cuts longer names off without a word. */
const LONGEST_NAME = 63;

function requireSchema(schema: unknown): void {
  if (
    typeof schema === 'string' &&
    schema !== '' &&
    isKey(schema) &&
    Buffer.byteLength(schema) <= LONGEST_NAME
  ) {
    return;
  }
  throw new ConfigError('invalid-option', {
    where: 'postgresStore',
    what: '`schema` is no name of a schema',
    fix: `Give a name of 1 to ${LONGEST_NAME} bytes, or leave it out for 'agent_hooks'`,
  });
}
