import { Connection } from '../../src/stores/sqlite/connection.ts';
import type { SqliteDriver } from '../../src/stores/sqlite/driver.ts';
import { openDriver, type SqliteDriverName } from '../../src/stores/sqlite/open-driver.ts';

export const DRIVERS: readonly SqliteDriverName[] = ['node:sqlite', 'libsql'];

/**
 * A connection beside the store, to look at a file or to damage it. By the driver of the store: the locks of
 * two SQLite libraries in one process do not see each other.
 */
export function openConnection(path: string, driver: SqliteDriverName = 'node:sqlite'): Connection {
  return connectionOn(openDriver(path, driver));
}

export function connectionOn(driver: SqliteDriver): Connection {
  return new Connection(driver, 'test');
}
