import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { startRedis } from '../services/redis-server.ts';
import { postgresAdmin } from './postgres-admin.ts';
import { redisAdmin } from './redis-admin.ts';

vi.setConfig({ testTimeout: 60_000 });

const ONE = changes({ messages: [userMessage('one')] });

await onService('postgres', (url) => {
  const { schema, sql } = postgresAdmin(url);

  test('a backend that is ended in the middle of a commit: the commit is done, and done once', async () => {
    const named = new URL(url);
    const store = postgresStore({ url: named.href, schema });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    const { Pool } = await import('pg');
    const pool = new Pool({ connectionString: url, max: 1 });
    const blocker = await pool.connect();
    await blocker.query('BEGIN');
    await blocker.query(`SELECT 1 FROM "${schema.replaceAll('"', '""')}".threads FOR UPDATE`);
    const committing = store.commit('t', token, 0, ONE);
    const waiting = `SELECT pid FROM pg_stat_activity
      WHERE application_name = 'agent-hooks' AND wait_event_type = 'Lock' AND query LIKE '%commit_thread%'`;
    let pids: Record<string, unknown>[] = [];
    while (pids.length === 0) pids = await sql(waiting);
    for (const { pid } of pids) await sql('SELECT pg_terminate_backend($1)', [pid]);
    await blocker.query('ROLLBACK');
    blocker.release();
    await committing;
    expect(await store.load('t')).toMatchObject({ version: 1, messageCount: 1 });
    expect(await store.readMessages('t')).toEqual(ONE.messages);
    await store.close();
    await pool.end();
  });

  test('all backends ended while nobody uses them: the next request does not notice', async () => {
    const store = postgresStore({ url, schema });
    await store.open();
    await sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agent-hooks'",
    );
    expect(await store.load('nobody')).toBeUndefined();
    await store.close();
  });
});

await onService('redis', (url) => {
  const { admin, newPrefix } = redisAdmin(url);

  test('clients killed all the time: what is committed is there, once', async () => {
    const store = redisStore({ url, prefix: newPrefix() });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    let isOver = false;
    const killing = (async () => {
      while (!isOver) {
        await admin.call('CLIENT', ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    })();
    for (let version = 0; version < 20; version += 1) {
      await store.commit('t', token, version, changes({ messages: [userMessage(`${version}`)] }));
    }
    isOver = true;
    await killing;
    const expected = Array.from({ length: 20 }, (_, version) => userMessage(`${version}`));
    expect(await store.readMessages('t')).toEqual(expected);
    expect(await store.load('t')).toMatchObject({ version: 20, messageCount: 20 });
    await store.close();
  });

  test('a server without room is told of as full, and the thread stays as it was', async () => {
    const server = await startRedis(['--maxmemory', '3mb', '--maxmemory-policy', 'noeviction']);
    if (server === undefined) throw new Error('it was there a moment ago');
    const store = redisStore({ url: server.url });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    await store.commit('t', token, 0, ONE);
    const big = changes({ messages: [userMessage('x'.repeat(1_500_000)), userMessage('y')] });
    let failed: unknown;
    let version = 1;
    for (; failed === undefined; version += 1) {
      failed = await Promise.resolve(store.commit('t', token, version, big)).catch(
        (error: unknown) => error,
      );
    }
    version -= 1;
    expect(failed).toMatchObject({ code: 'store-full' });
    expect(await store.load('t')).toMatchObject({ version, messageCount: 2 * version - 1 });
    expect(await store.readMessages('t')).toHaveLength(2 * version - 1);
    const roomy = new Redis(server.url);
    await roomy.config('SET', 'maxmemory', '100mb');
    await store.commit('t', token, version, big);
    expect(await store.load('t')).toMatchObject({ version: version + 1 });
    roomy.disconnect();
    await store.close();
    await server.stop();
  });
});
