import { randomUUID } from 'node:crypto';
import { describe, onTestFinished } from 'vitest';
import { memoryStore, type ThreadStore } from '../../src/index.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { onService } from '../services/on-service.ts';
import { newSchema } from '../stores/new-schema.ts';
import { tempFiles } from '../stores/temp-files.ts';

/** Runs rows on every store there is. Each `open` gives an empty one, which is closed when its test is over. */
export async function onEveryStore(rows: (open: () => ThreadStore) => void): Promise<void> {
  const newPath = tempFiles();
  const closing = (open: () => ThreadStore) => () => {
    const store = open();
    onTestFinished(async () => store.close?.());
    return store;
  };
  describe('on memory', () => rows(closing(() => memoryStore())));
  describe('on SQLite', () => rows(closing(() => sqliteStore({ path: newPath() }))));
  await onService('postgres', (url) =>
    rows(closing(() => postgresStore({ url, schema: newSchema() }))),
  );
  await onService('redis', (url) =>
    rows(closing(() => redisStore({ url, prefix: `rows-${randomUUID()}` }))),
  );
}
