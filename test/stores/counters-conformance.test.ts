import { describe, test } from 'vitest';
import type { Counters } from '../../src/protocol/counters.ts';
import { memoryCounters } from '../../src/stores/memory-counters.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { type CountersBench, countersConformance } from '../../src/testing/conformance/counters.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin } from './postgres-admin.ts';
import { redisAdmin } from './redis-admin.ts';
import { tempFiles } from './temp-files.ts';

type CountingStore = ThreadStore & { readonly counters: Counters };

const newPath = tempFiles();
const ALL = { shared: true, failing: true };

/** The counters of a store, and of as many handles on it as a case opens. */
function benchOf(open: () => CountingStore): CountersBench {
  const opened = [open()];
  const [first] = opened;
  if (first === undefined) throw new Error('one was opened');
  return {
    counters: first.counters,
    another: () => {
      const store = open();
      opened.push(store);
      return store.counters;
    },
    fail: () => first.close?.(),
    close: async () => {
      for (const store of opened) await store.close?.();
    },
  };
}

describe('memory counters', () => {
  test.each(countersConformance(({ now }) => ({ counters: memoryCounters(now) })))(
    '$name',
    ({ run }) => run(),
  );
});

describe.each(['node:sqlite', 'libsql'] as const)('sqlite counters on %s', (driver) => {
  const cases = countersConformance(({ now }) => {
    const path = newPath();
    return benchOf(() => sqliteStore({ path, driver, now }));
  }, ALL);
  test.each(cases)('$name', ({ run }) => run());
});

await onService('postgres', (url) => {
  const { schema, empty } = postgresAdmin(url);
  const cases = countersConformance(async ({ now }) => {
    await empty();
    return benchOf(() => postgresStore({ url, schema, now }));
  }, ALL);
  test.each(cases)('$name', ({ run }) => run());
});

await onService('redis', (url) => {
  const { newPrefix } = redisAdmin(url);
  const cases = countersConformance(({ now }) => {
    const prefix = newPrefix();
    return benchOf(() => redisStore({ url, prefix, now }));
  }, ALL);
  test.each(cases)('$name', ({ run }) => run());
});
