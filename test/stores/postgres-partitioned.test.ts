import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { postgresStore } from '../../src/stores/postgres.ts';
import { threadStoreConformance } from '../../src/testing/conformance/thread-store.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin, quoted } from './postgres-admin.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'storage.md'), 'utf8');

await onService('postgres', (url) => {
  const { schema, sql, empty } = postgresAdmin(url);
  const openAt = (now: () => number) => postgresStore({ url, schema, now });

  beforeAll(async () => {
    const store = postgresStore({ url, schema });
    await store.open();
    await store.close();
    const [, statements = ''] = /```sql\n(BEGIN;[^`]*)```/.exec(page) ?? [];
    await sql(statements.replace('agent_hooks', () => quoted(schema)));
  });

  test('docs/storage.md partitions all tables that have the thread in their key', async () => {
    const rows = await sql(
      `SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = $1::regnamespace
       ORDER BY relname`,
      [quoted(schema)],
    );
    const names = rows.map(({ relname }) => relname);
    expect(names).toEqual(['artifacts', 'events', 'ledger', 'memory', 'messages', 'threads']);
  });

  const cases = threadStoreConformance(
    async ({ now }) => {
      await empty();
      return openAt(now);
    },
    { reopen: (_store, { now }) => openAt(now) },
  );
  test.each(cases)('on partitions: $name', ({ run }) => run(), 60_000);
});
