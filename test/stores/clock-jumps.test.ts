import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ThreadBusyError, ThreadConflictError } from '../../src/errors/store-error.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { newSchema } from './new-schema.ts';

type Open = (now: () => number) => ThreadStore;
const HOUR = 3_600_000;
const ONE = changes({ messages: [userMessage('one')] });
const OTHER = changes({ messages: [userMessage('other')] });

function jumps(open: Open): void {
  test('a clock that jumps on lets another take the thread, and shuts the first one out', async () => {
    let time = 10 * HOUR;
    const store = open(() => time);
    const first = await store.claim('t', { holder: 'a', ttlMs: 30_000 });
    await store.commit('t', first.token, 0, ONE);
    time += HOUR;
    const second = await store.claim('t', { holder: 'b', ttlMs: 30_000 });
    for (const attempt of [
      async () => store.commit('t', first.token, 1, OTHER),
      async () => store.renew('t', first.token, 30_000),
    ]) {
      await expect(attempt()).rejects.toThrow(ThreadConflictError);
    }
    await store.commit('t', second.token, 1, OTHER);
    expect(await store.readMessages('t')).toEqual([userMessage('one'), userMessage('other')]);
    await store.close?.();
  });

  test('a clock that jumps back keeps the thread with its holder, who may still write and give it back', async () => {
    let time = 10 * HOUR;
    const store = open(() => time);
    const first = await store.claim('t', { holder: 'a', ttlMs: 30_000 });
    time -= HOUR;
    await expect((async () => store.claim('t', { holder: 'b', ttlMs: 30_000 }))()).rejects.toThrow(
      ThreadBusyError,
    );
    await store.commit('t', first.token, 0, ONE);
    // A sign of life brings the end of the claim back as well.
    await store.renew('t', first.token, 30_000);
    time += 30_000;
    const second = await store.claim('t', { holder: 'b', ttlMs: 30_000 });
    await store.commit('t', second.token, 1, OTHER);
    expect(await store.load('t')).toMatchObject({ version: 2, messageCount: 2 });
    await store.close?.();
  });
}

/** Where the clock is the server's, that of a process does not matter. */
function serverClock(open: () => ThreadStore): void {
  test('a claim runs by the clock of the server', async () => {
    const store = open();
    const { token, expiresAt } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    expect(Math.abs(expiresAt - 60_000 - Date.now())).toBeLessThan(5_000);
    const next = await store.claim('u', { holder: 'a', ttlMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await store.claim('u', { holder: 'b', ttlMs: 60_000 })).token).toBe(next.token + 1);
    await store.renew('t', token, 60_000);
    await expect((async () => store.claim('t', { holder: 'b', ttlMs: 1 }))()).rejects.toThrow(
      ThreadBusyError,
    );
    await store.close?.();
  });
}

describe('on memory', () => jumps((now) => memoryStore({ now })));
describe('on SQLite', () => jumps((now) => sqliteStore({ path: ':memory:', now })));
await onService('postgres', (url) => {
  jumps((now) => postgresStore({ url, schema: newSchema(), now }));
  serverClock(() => postgresStore({ url, schema: newSchema() }));
});
await onService('redis', (url) => {
  const prefix = () => `clock-${randomUUID()}`;
  jumps((now) => redisStore({ url, prefix: prefix(), now }));
  serverClock(() => redisStore({ url, prefix: prefix() }));
});
