import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type PostgresPool, postgresStore } from '../../src/stores/postgres.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin, quoted } from './postgres-admin.ts';

await onService('postgres', (url) => {
  const { schema } = postgresAdmin(url);
  const pools: Pool[] = [];
  afterAll(() => Promise.all(pools.map((pool) => pool.end())));
  beforeAll(async () => {
    const store = postgresStore({ url, schema });
    await store.open();
    await store.close();
  });

  /** A store whose next connections begin with these settings, one after the other. */
  function storeOn(...settings: readonly string[]) {
    const pool = new Pool({ connectionString: url, max: 1 });
    pool.on('error', () => undefined);
    const left = [...settings];
    let connected = 0;
    pool.on('connect', (client: PoolClient) => {
      connected += 1;
      const setting = left.shift();
      if (setting !== undefined) void client.query(`SET ${setting}`);
    });
    pools.push(pool);
    // What is used of it is what the store asks for.
    const store = postgresStore({
      pool: pool as unknown as PostgresPool,
      schema,
      timeoutMs: 2_000,
    });
    return { store, connections: () => connected };
  }

  test('a server that only reads any more is left for the one that took over from it', async () => {
    const readsOnly = 'default_transaction_read_only = on';
    const { store, connections } = storeOn(readsOnly, readsOnly);
    const { token } = await store.claim('moved', { holder: 'test', ttlMs: 60_000 });
    await store.commit('moved', token, 0, changes({ messages: [userMessage('hi')] }));
    expect(connections()).toBe(3);
    expect(await store.readMessages('moved')).toEqual([userMessage('hi')]);
  });

  test('a database that only reads is told of as that', async () => {
    const { store } = storeOn(...new Array(50).fill('default_transaction_read_only = on'));
    const claim = store.claim('reads', { holder: 'test', ttlMs: 60_000 });
    await expect(claim).rejects.toMatchObject({
      code: 'store-failed',
      cause: { code: '25006', message: expect.stringContaining('read-only transaction') },
    });
    expect(await store.load('reads')).toBeUndefined();
  });

  test('an answer that the driver gave up on is one that did not come in time', async () => {
    const pool = new Pool({ connectionString: url, max: 1, query_timeout: 300 });
    pools.push(pool);
    const store = postgresStore({ pool: pool as unknown as PostgresPool, schema });
    const { token } = await store.claim('slow', { holder: 'test', ttlMs: 60_000 });
    const blocker = new Pool({ connectionString: url, max: 1 });
    pools.push(blocker);
    await blocker.query(`BEGIN; LOCK TABLE ${quoted(schema)}.messages`);
    const commit = store.commit('slow', token, 0, changes({ messages: [userMessage('hi')] }));
    await expect(commit).rejects.toMatchObject({
      code: 'store-timeout',
      cause: { message: 'Query read timeout' },
    });
    await blocker.query('ROLLBACK');
    // Given up here, it was done there.
    await vi.waitFor(async () => expect((await store.load('slow'))?.version).toBe(1));
  });

  test('a transaction that the server ended as idle is done again', async () => {
    const { store, connections } = storeOn('idle_in_transaction_session_timeout = 50');
    const { token } = await store.claim('idle', { holder: 'test', ttlMs: 60_000 });
    await store.commit('idle', token, 0, changes({ messages: [userMessage('hi')] }));
    let calls = 0;
    await store.rewriteThread('idle', token, 1, {
      state: (state) => state,
      message: () => {
        calls += 1;
        const until = performance.now() + (calls === 1 ? 200 : 0);
        while (performance.now() < until);
        return userMessage('ho');
      },
      event: (event) => event,
      result: (result) => result,
      approval: (approval) => approval,
      artifact: (artifact) => artifact,
      memory: (memory) => memory,
    });
    expect([calls, connections()]).toEqual([2, 2]);
    expect(await store.readMessages('idle')).toEqual([userMessage('ho')]);
    expect((await store.load('idle'))?.version).toBe(2);
  });
});
