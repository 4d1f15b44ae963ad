import { Pool, type PoolClient } from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { PostgresPool } from '../../src/stores/postgres.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { changes, outcome } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin, quoted } from './postgres-admin.ts';

await onService('postgres', (url) => {
  const { schema, sql } = postgresAdmin(url);
  const pool = new Pool({ connectionString: url, max: 1 });
  afterAll(() => pool.end());

  test('a commit reads no more of the ledger on a thread that has called 5,000 tools', async () => {
    const read: number[] = [];
    const store = postgresStore({ pool: counting(pool, schema, read), schema });
    await store.open();
    await fillLedger(sql);
    const { token } = await store.claim('long', { holder: 'h', ttlMs: 60_000 });
    const calls = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => outcome(`call-${from + index}`, 'digest'));
    await store.commit('long', token, 0, changes({ ledger: calls(0, 5_000) }));
    await sql('ANALYZE {schema}.ledger');
    read.length = 0;
    // The server settles on one plan for all threads after a few times.
    for (let commit = 1; commit <= 10; commit += 1) {
      await store.commit('long', token, commit, changes({ ledger: calls(4_990 + commit, 2) }));
    }
    expect(read).toHaveLength(10);
    expect(Math.max(...read)).toBeLessThan(10);
    expect(Math.max(...read)).toBeGreaterThan(0);
  });
});

/** Many threads of two calls each: what the server then takes a thread to be like. */
async function fillLedger(sql: (text: string) => Promise<unknown>): Promise<void> {
  await sql(`INSERT INTO {schema}.threads (id, token, expires_at)
    SELECT 'short-' || n, 1, 0 FROM generate_series(1, 5000) n`);
  await sql(`INSERT INTO {schema}.ledger (thread, call_id, input_digest, status, late, at)
    SELECT 'short-' || n, 'call-' || c, 'digest', 'finished', 0, 0
    FROM generate_series(1, 5000) n, generate_series(1, 2) c`);
}

/** Notes of every commit how many rows of the ledger the server went through. */
function counting(pool: Pool, schema: string, read: number[]): PostgresPool {
  return {
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      return {
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (error) => client.release(error),
        query: async (query) => {
          if (!/^SELECT .*commit_thread/.test(query.text)) return client.query(query);
          // In one transaction, as the server hands its counts on when it likes.
          await client.query('BEGIN');
          const before = await rowsRead(client, schema);
          const result = await client.query(query);
          read.push((await rowsRead(client, schema)) - before);
          await client.query('COMMIT');
          return result;
        },
      };
    },
  };
}

async function rowsRead(client: PoolClient, schema: string): Promise<number> {
  const { rows } = await client.query(
    `SELECT idx_tup_fetch + seq_tup_read AS n FROM pg_stat_xact_user_tables
     WHERE relid = '${quoted(schema)}.ledger'::regclass`,
  );
  return Number(rows[0]?.n);
}
