import { ConfigError } from '../../errors/config-error.ts';
import { requireHere } from '../../internal/require-here.ts';
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

/** `resolve` finds packages from the place of this package; tests give another place. */
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
