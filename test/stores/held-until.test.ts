import { describe, expect, test } from 'vitest';
import { ThreadBusyError } from '../../src/errors/store-error.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin } from './postgres-admin.ts';
import { redisAdmin } from './redis-admin.ts';

const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);

async function busyError(store: ThreadStore): Promise<unknown> {
  try {
    await store.claim('t', { holder: 'a', ttlMs: 30_000 });
    await store.claim('t', { holder: 'b', ttlMs: 1_000 });
    return expect.unreachable();
  } catch (error) {
    return error;
  } finally {
    await store.close?.();
  }
}

/** Also in the message, which is all that a log has. */
async function saysUntilWhen(store: ThreadStore): Promise<void> {
  const error = await busyError(store);
  expect(ThreadBusyError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    heldUntil: now() + 30_000,
    message: expect.stringContaining('runs out at 2026-01-02T03:04:35.000Z'),
  });
}

describe('a thread that is held says until when', () => {
  test('in memory', () => saysUntilWhen(memoryStore({ now })));

  test.each(['node:sqlite', 'libsql'] as const)('on %s', (driver) =>
    saysUntilWhen(sqliteStore({ path: ':memory:', driver, now })),
  );

  test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY])(
    'unless the store does not: %s',
    (heldUntil) => {
      const error = new ThreadBusyError('t', heldUntil);
      expect(error.heldUntil).toBeUndefined();
      expect(error.message).toMatch(/runs out$/);
    },
  );
});

await onService('postgres', (url) => {
  const { schema, empty } = postgresAdmin(url);
  test('a thread that is held says until when, on Postgres', async () => {
    await empty();
    await saysUntilWhen(postgresStore({ url, schema, now }));
  });
});

await onService('redis', (url) => {
  const { newPrefix } = redisAdmin(url);
  test('a thread that is held says until when, on Redis', () =>
    saysUntilWhen(redisStore({ url, prefix: newPrefix(), now })));
});
