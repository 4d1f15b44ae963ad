import { ConfigError } from '../../errors/config-error.ts';
import { requireHere } from '../../internal/require-here.ts';
import type { Row } from '../records.ts';
import type { SqliteDriver } from './driver.ts';

/** What is used of `libsql`, so that its types need not be installed. */
interface LibsqlDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(values: readonly unknown[]): { readonly changes: number };
    all(values: readonly unknown[]): unknown[];
  };
  close(): unknown;
}

type Libsql = new (path: string) => LibsqlDatabase;

/** Opens a database with the optional package `libsql`. Throws a `ConfigError` when it is not installed. */
export function openLibsql(path: string): SqliteDriver {
  const Database = loadLibsql();
  return driverOf(new Database(path));
}

function driverOf(database: LibsqlDatabase): SqliteDriver {
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (values) => statement.run(values).changes,
        // Rows are plain objects by column: `raw` is never switched on.
        all: (values) => statement.all(values) as Row[],
      };
    },
    close: () => {
      database.close();
    },
    resultCode: (error) =>
      error instanceof Error && 'rawCode' in error && typeof error.rawCode === 'number'
        ? error.rawCode
        : undefined,
  };
}

/** `resolve` finds packages from the place of this package; tests give another place. */
export function loadLibsql(resolve: (name: string) => unknown = requireHere()): Libsql {
  try {
    // A package without the constructor fails at the first use, inside the error handling of the store.
    return resolve('libsql') as Libsql;
  } catch (cause) {
    throw new ConfigError(
      'missing-package',
      {
        where: 'sqliteStore',
        what: 'the optional package `libsql` is not installed or does not load here',
        fix: "Run `npm install libsql`, or use Node 22.13 or newer with `driver: 'node:sqlite'`",
      },
      { cause },
    );
  }
}
