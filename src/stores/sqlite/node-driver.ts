import type { Row } from '../records.ts';
import type { SqliteDriver } from './driver.ts';

type NodeSqlite = typeof import('node:sqlite');

/** Opens a database with the SQLite inside Node; `undefined` where this Node has none. */
export function openNodeSqlite(path: string): SqliteDriver | undefined {
  const sqlite = loadNodeSqlite();
  return sqlite && driverOf(new sqlite.DatabaseSync(path));
}

function driverOf(database: InstanceType<NodeSqlite['DatabaseSync']>): SqliteDriver {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (values) => Number(statement.run(...values).changes),
        all: (values): readonly Row[] => statement.all(...values),
      };
    },
    close: () => database.close(),
    resultCode: (error) =>
      error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
        ? error.errcode
        : undefined,
  };
}

/**
 * An import statement would fail on a Node without SQLite, and bundlers take the `node:` off. The notice
 * that SQLite is experimental is held back while it loads: who asks for this store has chosen it. Loading is
 * synchronous, so no other warning can pass meanwhile.
 */
function loadNodeSqlite(): NodeSqlite | undefined {
  const emitWarning = process.emitWarning;
  const quiet = (...args: unknown[]): void => {
    if (!isSqliteNotice(args)) Reflect.apply(emitWarning, process, args);
  };
  process.emitWarning = quiet;
  try {
    // The types promise the module on every Node; an older one answers `undefined`.
    return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isSqliteNotice([warning, type]: readonly unknown[]): boolean {
  return type === 'ExperimentalWarning' && String(warning).startsWith('SQLite ');
}
