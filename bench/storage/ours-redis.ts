import { redisStore } from 'agent-hooks/stores/redis';
import { Redis } from 'ioredis';
import { startRedis } from '../../test/services/redis-server.ts';
import type { Session, Size, StorageContender } from './contender.ts';
import { sessionOn } from './ours.ts';

/** Every commit is on the disk when it is told, and nobody writes the log anew meanwhile. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];
const SETTLED = ['--auto-aof-rewrite-percentage', '0'];

/** A server of its own; `undefined` where it is not installed. */
export async function startOnRedis(): Promise<StorageContender | undefined> {
  const server = await startRedis([...DURABLE, ...SETTLED]);
  if (server === undefined) return undefined;
  const redis = new Redis(server.url);
  return {
    name: 'redis',
    settings: async () => {
      const fsync = await redis.config('GET', 'append*');
      const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1];
      return `redis ${version}, ${pairs(fsync)}`;
    },
    open: () => openSession(server.url, redis),
    close: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
}

async function openSession(url: string, redis: Redis): Promise<Session> {
  await redis.flushall();
  const store = redisStore({ url });
  await store.open();
  const size = async (): Promise<Size> => {
    const keys = await redis.keys('*');
    const info = await redis.info('persistence');
    const [bytes, rows] = [
      keys.map((key) => memoryOf(redis, key)),
      keys.map((key) => entries(redis, key)),
    ];
    return {
      stored: sum(await Promise.all(bytes)),
      logged: Number(/aof_current_size:(\d+)/.exec(info)?.[1]),
      rows: sum(await Promise.all(rows)),
    };
  };
  return sessionOn(store, { before: size, after: size, close: async () => undefined });
}

/** With every entry looked at. */
async function memoryOf(redis: Redis, key: string): Promise<number> {
  return Number(await redis.memory('USAGE', key, 'SAMPLES', 0));
}

/** Messages, events and so on; the fields of a thread are one. */
async function entries(redis: Redis, key: string): Promise<number> {
  if (key.endsWith(':thread')) return 1;
  switch (await redis.type(key)) {
    case 'hash':
      return redis.hlen(key);
    case 'list':
      return redis.llen(key);
    case 'stream':
      return redis.xlen(key);
    default:
      return 0;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The server answers with names and values in turn. */
function pairs(config: unknown): string {
  const flat = Array.isArray(config) ? config : Object.entries(Object(config)).flat();
  const wanted = ['appendonly', 'appendfsync'];
  return wanted.map((name) => `${name} = ${flat[flat.indexOf(name) + 1]}`).join(', ');
}
