import { ConfigError } from '../../errors/config-error.ts';
import { requireHere } from '../../internal/require-here.ts';
import type { RedisClient } from './driver.ts';

/** A client of one's own also ends, and tells of what broke. */
export interface OwnClient extends RedisClient {
  quit(): Promise<unknown>;
  /** `true` to connect anew at once. */
  disconnect(reconnect?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of `ioredis`. */
export interface Ioredis {
  readonly Redis: new (
    url: string,
    options: {
      readonly lazyConnect: boolean;
      readonly maxRetriesPerRequest: number;
      /** Milliseconds. */
      readonly connectTimeout: number;
      readonly retryStrategy: (times: number) => number;
    },
  ) => OwnClient;
}

/** `resolve` finds packages from the place of this package; tests give another place. */
export function loadIoredis(resolve: (name: string) => unknown = requireHere()): Ioredis {
  try {
    return resolve('ioredis') as Ioredis; // What is used of it was the same in versions 5 and 6.
  } catch (cause) {
    throw new ConfigError(
      'missing-package',
      {
        where: 'redisStore',
        what: 'the optional package `ioredis`, which `url` needs, is not installed or does not load here',
        fix: 'Run `npm install ioredis`, or give a client of your own as `client`',
      },
      { cause },
    );
  }
}
