import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../../errors/config-error.ts';
import { StoreAccessError } from '../../errors/store-error.ts';
import type { SqliteDriver } from './driver.ts';
import { openLibsql } from './libsql-driver.ts';
import { openNodeSqlite } from './node-driver.ts';

/** Which SQLite to use: the one inside Node, or the optional package `libsql`. */
export type SqliteDriverName = 'node:sqlite' | 'libsql';

/** Opens `path` with the named driver; without a name, with the first one there is. */
export function openDriver(path: string, name?: SqliteDriverName): SqliteDriver {
  try {
    switch (name) {
      case undefined:
        return openNodeSqlite(path) ?? openLibsql(path);
      case 'node:sqlite':
        return openNodeSqlite(path) ?? refuseNode();
      case 'libsql':
        return openLibsql(path);
      default:
        return refuseName(name);
    }
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new StoreAccessError('failed', `sqliteStore '${path}'`, {
      what: `the file cannot be opened or created${missingFolder(path)}`,
      cause,
    });
  }
}

/** SQLite makes a file, and never the folder it is to be in. */
function missingFolder(path: string): string {
  const folder = dirname(resolve(path));
  return existsSync(folder) ? '' : `: there is no folder '${folder}'. Create it first`;
}

function refuseNode(): never {
  throw new ConfigError('missing-package', {
    where: 'sqliteStore',
    what: "`driver` is 'node:sqlite', which this Node does not have",
    fix: 'Use Node 22.13 or newer, or install `libsql` and leave `driver` out',
  });
}

function refuseName(name: never): never {
  throw new ConfigError('invalid-option', {
    where: 'sqliteStore',
    what: `\`driver\` is of type ${typeof name} and names no driver`,
    fix: "Use 'node:sqlite' or 'libsql', or leave it out",
  });
}
