import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { deleteThread } from '../../src/agent/retention/delete-thread.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { threadStoreConformance } from '../../src/testing/conformance/thread-store.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin, quoted } from './postgres-admin.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'storage.md'), 'utf8');

await onService('postgres', (url) => {
  const { schema, sql, empty } = postgresAdmin(url);
  const openAt = (now: () => number) => postgresStore({ url, schema, now });

  const run = async (block: RegExp) => {
    const [, statements = ''] = block.exec(page) ?? [];
    await sql(statements.replace('agent_hooks', () => quoted(schema)));
  };

  beforeAll(async () => {
    const store = postgresStore({ url, schema });
    await store.open();
    await store.close();
    await run(/```sql\n(BEGIN;[^`]*)```/);
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

  test('docs/storage.md removes the rows of threads deleted long ago, and no others', async () => {
    for (const [id, time] of [
      ['old', 0],
      ['recent', Date.now()],
    ] as const) {
      const store = openAt(() => time);
      for (const threadId of [`${id}-deleted`, `${id}-kept`]) {
        const { token } = await store.claim(threadId, { holder: 'h', ttlMs: 1_000 });
        await store.commit(threadId, token, 0, changes({ messages: [userMessage('hello')] }));
        await store.release(threadId, token);
      }
      await deleteThread(store, `${id}-deleted`);
      await store.close();
    }
    await run(/```sql\n(DELETE [^`]*)```/);
    const rows = await sql('SELECT id FROM {schema}.threads ORDER BY id');
    expect(rows.map(({ id }) => id)).toEqual(['old-kept', 'recent-deleted', 'recent-kept']);
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
