import { createRequire } from 'node:module';
import { ConfigError } from '../../errors/config-error.ts';
import type { PostgresPool } from './driver.ts';

/** A pool of one's own also tells of what broke while nobody used it. */
interface OwnPool extends PostgresPool {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of `pg`. */
export interface Pg {
  readonly Pool: new (options: {
    readonly connectionString: string;
    readonly application_name: string;
    /** Milliseconds. */
    readonly connectionTimeoutMillis: number;
    readonly keepAlive: boolean;
  }) => OwnPool;
}

/** `resolve` finds packages from the place of this file; tests give another place. */
export function loadPg(resolve: (name: string) => unknown = requireHere()): Pg {
  try {
    return resolve('pg') as Pg; // What is used of it was the same in every release of version 8.
  } catch (cause) {
    throw new ConfigError(
      'missing-package',
      {
        where: 'postgresStore',
        what: 'the optional package `pg`, which `url` needs, is not installed or does not load here',
        fix: 'Run `npm install pg`, or give a pool of your own as `pool`',
      },
      { cause },
    );
  }
}

function requireHere(): (name: string) => unknown {
  // The CommonJS build knows its own file by the first, the module build by the second. In `node -e` modules have both,
  // and the first is '[eval]'.
  const isModule = typeof __filename === 'undefined' || __filename.startsWith('[');
  return createRequire(isModule ? import.meta.url : __filename);
}
