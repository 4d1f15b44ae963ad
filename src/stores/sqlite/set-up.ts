import { StoreAccessError, StoreVersionError } from '../../errors/store-error.ts';
import type { Connection } from './connection.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

/** How long one process waits for another to finish writing, in milliseconds. */
const BUSY_MS = 5_000;
const PAUSE_MS = 5;

/**
 * Makes an open database ready: refuses one that is newer or someone else's before anything is written, then
 * sets it to durable commits and brings its tables up to date. Any number of processes may do this at once.
 */
export function setUp(
  connection: Connection,
  migrations: readonly string[] = MIGRATIONS,
): Connection {
  connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  // One moment for all that is looked at: another process may be making the tables right now.
  const found = connection.read(() => requireOurs(connection, migrations.length));
  enterWal(connection);
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  // Costs no write. Some of what is deleted or replaced stays in the file all the same, until it is scrubbed.
  connection.exec('PRAGMA secure_delete = FAST');
  if (found < migrations.length) migrate(connection, migrations);
  return connection;
}

/** Returns the version that was found; 0 for a new file. */
function requireOurs(connection: Connection, supported: number): number {
  const version = pragma(connection, 'user_version');
  if (version > supported) throw new StoreVersionError(connection.where, version, supported);
  if (pragma(connection, 'application_id') !== APPLICATION_ID && hasTables(connection)) {
    throw new StoreAccessError('unreadable', connection.where, {
      what: 'the file is a database of another program',
    });
  }
  return version;
}

/** Readers and the writer do not wait for each other in this mode. SQLite does not wait by itself while it changes over. */
function enterWal(connection: Connection): void {
  const until = Date.now() + BUSY_MS;
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof StoreAccessError && error.code === 'store-busy';
      if (!isBusy || Date.now() >= until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** Looks again once it may write: another process may have done the same meanwhile. */
function migrate(connection: Connection, migrations: readonly string[]): void {
  connection.write(() => {
    const version = requireOurs(connection, migrations.length);
    for (const migration of migrations.slice(version)) connection.exec(migration);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function hasTables(connection: Connection): boolean {
  return connection.all('SELECT 1 FROM sqlite_master LIMIT 1').length > 0;
}

function pragma(connection: Connection, name: 'user_version' | 'application_id'): number {
  return Number(connection.all(`PRAGMA ${name}`)[0]?.[name]);
}
