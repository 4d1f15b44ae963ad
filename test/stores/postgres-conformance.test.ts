import { test } from 'vitest';
import { postgresStore } from '../../src/stores/postgres.ts';
import { threadStoreConformance } from '../../src/testing/conformance/thread-store.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin } from './postgres-admin.ts';

await onService('postgres', (url) => {
  const { schema, empty } = postgresAdmin(url);
  const openAt = (now: () => number) => postgresStore({ url, schema, now });
  const cases = threadStoreConformance(
    async ({ now }) => {
      await empty();
      return openAt(now);
    },
    { reopen: (_store, { now }) => openAt(now) },
  );
  // One of them writes and rewrites more than two thousand records: seconds on a machine that is busy.
  test.each(cases)('$name', { timeout: 30_000 }, ({ run }) => run());
});
