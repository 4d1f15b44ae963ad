import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { Counters } from '../protocol/counters.ts';
import { isKey } from './key.ts';
import type { ThreadStore } from './port.ts';
import { RedisConnection } from './redis/connection.ts';
import type { RedisClient } from './redis/driver.ts';
import { loadIoredis, type OwnClient } from './redis/load-ioredis.ts';
import { RedisStore } from './redis/store.ts';
import { requireUrl } from './remote/require-url.ts';
import { requireTimeout } from './remote/timeout-option.ts';

export type { RedisClient };

interface CommonOptions {
  /** What every key begins with; it holds no braces. Default: `agent-hooks`. */
  readonly prefix?: string;
  /** How long one request may take, in milliseconds, with all that is repeated after a broken connection. Default: 5000. */
  readonly timeoutMs?: number;
  /** The clock of claims and late outcomes, in milliseconds since the epoch. Default: that of the server, so that the clocks of processes do not matter. */
  readonly now?: () => number;
}

export type RedisStoreOptions = CommonOptions &
  (
    | {
        /** Where the server is: `redis://user:password@host`, or `rediss://` with TLS. Needs the package `ioredis`. The connection ends with the store. */
        readonly url: string;
        readonly client?: never;
      }
    | {
        /** The app's own client or cluster of `ioredis`. It is used as it is, nothing listens on it, and it stays open when the store is closed. */
        readonly client: RedisClient;
        readonly url?: never;
      }
  );

const OPTIONS = Object.keys({
  prefix: true,
  timeoutMs: true,
  now: true,
  url: true,
  client: true,
} satisfies Record<keyof RedisStoreOptions, true>);

/** A `ThreadStore` that can be made ready before it is needed. */
export interface RedisThreadStore extends ThreadStore {
  readonly counters: Counters;
  /** Connects and looks at the format. The first request does so by itself; call it to learn at start of what is wrong. Throws as requests do. */
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps threads in Redis (6.2 or newer) or a cluster of it, for any number of processes. A commit is one script, and
 * as durable as the server is set to be: with `appendonly yes` and `appendfsync always` it is on the disk, and only a
 * failover to a replica that had not heard of it loses it. `maxmemory-policy` has to be `noeviction`. A request that a
 * broken connection or a restart gets in the way of is repeated in its time, and never done twice.
 *
 * Throws `ConfigError` for a wrong option or a missing package. Requests throw `StoreVersionError` for a format of a
 * newer version (which is left as it is) and `StoreAccessError` for a server that is not reached, does not answer in
 * time or refuses; no error holds the address or anything of what was stored.
 *
 * @example
 * const store = redisStore({ url: process.env.REDIS_URL ?? '' });
 */
export function redisStore(options: RedisStoreOptions): RedisThreadStore {
  checkKeys('redisStore', options, OPTIONS);
  const { prefix = 'agent-hooks', now } = options;
  const timeoutMs = requireTimeout('redisStore', options.timeoutMs);
  requirePrefix(prefix);
  if (options.client !== undefined) requireClient(options.client);
  const owned = options.client === undefined ? openClient(options.url, timeoutMs) : undefined;
  const client = options.client ?? owned;
  if (client === undefined) throw new TypeError('one of them is set');
  return new RedisStore(new RedisConnection({ client, owned, prefix, timeoutMs }), now);
}

function openClient(url: unknown, timeoutMs: number): OwnClient {
  const address = requireUrl('redisStore', url, ['redis:', 'rediss:']);
  const { Redis } = loadIoredis();
  return new Redis(address, {
    lazyConnect: true,
    // The store repeats by itself, and knows how long it may.
    maxRetriesPerRequest: 1,
    connectTimeout: timeoutMs,
    retryStrategy: (times) => Math.min(times * 50, 500),
  });
}

function requireClient(client: unknown): void {
  if (typeof Object(client).call === 'function') return;
  throw new ConfigError('invalid-option', {
    where: 'redisStore',
    what: '`client` is no client of `ioredis`',
    fix: 'Give a `Redis` or a `Cluster` of `ioredis`, or leave it out and give `url`',
  });
}

function requirePrefix(prefix: unknown): void {
  if (typeof prefix === 'string' && prefix !== '' && isKey(prefix) && !/[{}]/.test(prefix)) return;
  throw new ConfigError('invalid-option', {
    where: 'redisStore',
    what: '`prefix` is no beginning of a key',
    fix: "Give a text without braces, or leave it out for 'agent-hooks'",
  });
}
