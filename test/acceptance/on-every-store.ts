import { randomUUID } from 'node:crypto';
import { describe, onTestFinished } from 'vitest';
import { memoryStore, type ThreadStore } from '../../src/index.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { onService } from '../services/on-service.ts';
import { newSchema } from '../stores/new-schema.ts';
import { tempFiles } from '../stores/temp-files.ts';

/** Opens stores, all of which are closed when the test is over. */
interface Opening {
  /** An empty store. */
  readonly open: () => ThreadStore;
  /** Two handles on one empty store, as two processes have them; where there is only memory, both are the same. */
  readonly openTwice: () => readonly [ThreadStore, ThreadStore];
}

/** Runs rows on every store there is. */
export async function onEveryStore(
  rows: (open: Opening['open'], openTwice: Opening['openTwice']) => void,
): Promise<void> {
  const newPath = tempFiles();
  const on = (place: () => () => ThreadStore): void => {
    const opened = (make: () => ThreadStore): ThreadStore => {
      const store = make();
      onTestFinished(async () => store.close?.());
      return store;
    };
    rows(
      () => opened(place()),
      () => {
        const make = place();
        return [opened(make), opened(make)];
      },
    );
  };
  describe('on memory', () =>
    on(() => {
      const store = memoryStore();
      return () => store;
    }));
  describe('on SQLite', () =>
    on(() => {
      const path = newPath();
      return () => sqliteStore({ path });
    }));
  await onService('postgres', (url) =>
    on(() => {
      const schema = newSchema();
      return () => postgresStore({ url, schema });
    }),
  );
  await onService('redis', (url) =>
    on(() => {
      const prefix = `rows-${randomUUID()}`;
      return () => redisStore({ url, prefix });
    }),
  );
}
