import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { Counters } from '../protocol/counters.ts';
import type { ThreadStore } from './port.ts';
import { Connection } from './sqlite/connection.ts';
import { openDriver, type SqliteDriverName } from './sqlite/open-driver.ts';
import { setUp } from './sqlite/set-up.ts';
import { SqliteStore } from './sqlite/store.ts';

export type { SqliteDriverName };

export interface SqliteStoreOptions {
  /** The file, made when it does not exist; its folder must. `:memory:` keeps everything in this process. */
  readonly path: string;
  /** The clock of claims and late outcomes, in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /**
   * Default: `node:sqlite` where this Node has it, else the optional package `libsql`. All stores of one
   * process on one file must use the same: the locks of two SQLite libraries do not see each other.
   */
  readonly driver?: SqliteDriverName;
}

const OPTIONS = Object.keys({ path: true, now: true, driver: true } satisfies Record<
  keyof SqliteStoreOptions,
  true
>);

/** A `ThreadStore` with counters beside the threads. */
export interface SqliteThreadStore extends ThreadStore {
  readonly counters: Counters;
  scrub(): void;
  close(): void;
}

/**
 * Keeps threads in one SQLite file that any number of processes of one machine may use at once. A commit is
 * on the disk when it returns. Every method answers at once and holds the event loop meanwhile: microseconds,
 * plus up to 5 seconds for its turn while other processes write.
 *
 * Throws `ConfigError` for a wrong option or a missing driver, `StoreVersionError` for a file of a newer
 * version (which is left as it is), and `StoreAccessError` for a file that cannot be opened or read.
 *
 * @example
 * const store = sqliteStore({ path: 'threads.db' });
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteThreadStore {
  checkKeys('sqliteStore', options, OPTIONS);
  const path = requirePath(options.path);
  const connection = new Connection(openDriver(path, options.driver), `sqliteStore '${path}'`);
  try {
    setUp(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return new SqliteStore(connection, options.now ?? Date.now);
}

/** An empty path is a database that vanishes, and an address means something else to each driver. */
function requirePath(path: unknown): string {
  if (typeof path === 'string' && path !== '' && !/^(?:file:|[a-z][\w+.-]*:\/\/)/i.test(path)) {
    return path;
  }
  throw new ConfigError('invalid-option', {
    where: 'sqliteStore',
    what: '`path` is no path of a file',
    fix: "Give a path such as 'threads.db', or ':memory:'",
  });
}
