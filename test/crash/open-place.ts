import type { ThreadStore } from '../../src/index.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import type { StorePlace } from './plan.ts';

export function openPlace({ kind, at, name }: StorePlace): ThreadStore {
  switch (kind) {
    case 'sqlite':
      return sqliteStore({ path: at });
    case 'postgres':
      return postgresStore({ url: at, schema: name });
    case 'redis':
      return redisStore({ url: at, prefix: name });
  }
}
