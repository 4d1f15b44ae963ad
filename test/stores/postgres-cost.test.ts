import { Pool, type PoolClient } from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { ThreadStore } from '../../src/stores/port.ts';
import type { PostgresPool, SqlValue } from '../../src/stores/postgres.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import {
  approval,
  artifact,
  changes,
  event,
  intent,
  outcome,
  toolResult,
  userMessage,
} from '../../src/testing/conformance/thread-store/samples.ts';
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

  test('no statement reads a table of threads from end to end', async () => {
    const seen = new Map<string, SqlValue[]>();
    const store = postgresStore({ pool: recording(pool, seen), schema });
    await store.open();
    await fillAll(sql);
    seen.clear();
    await useEverything(store);
    const statements = [...seen].filter(([text]) => !text.includes('commit_thread'));
    expect(statements.length).toBeGreaterThan(20);
    for (const [text, values] of statements) {
      const rows = await sql(`EXPLAIN ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(`${text}\n${plan}`).not.toContain('Seq Scan');
    }
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

async function fillAll(sql: (text: string) => Promise<unknown>): Promise<void> {
  const threads = "SELECT 'full-' || n";
  const many = 'FROM generate_series(1, 20000) n';
  await sql(`INSERT INTO {schema}.threads (id, token, expires_at, version, state)
    ${threads}, 1, 0, 1, '{}' ${many}`);
  for (const [table, values] of [
    ['messages', "1, '{}'"],
    ['events', "1, '{}'"],
    ['ledger', "'call', 'digest', 'finished', '{}', 0, 0"],
    ['memory', "'policy', '{}'"],
    ['artifacts', "'a', '{}'"],
  ]) {
    await sql(`INSERT INTO {schema}.${table} ${threads}, ${values} ${many}`);
  }
  await sql(`INSERT INTO {schema}.approvals (thread, id, status, json) ${threads}, 'approval-' || n,
    CASE WHEN n % 50 = 0 THEN 'open' ELSE 'allowed' END, '{}' ${many}`);
  for (const table of [
    'threads',
    'messages',
    'events',
    'ledger',
    'memory',
    'artifacts',
    'approvals',
  ]) {
    await sql(`ANALYZE {schema}.${table}`);
  }
}

async function useEverything(store: ThreadStore): Promise<void> {
  const { token } = await store.claim('t', { holder: 'h', ttlMs: 60_000 });
  await store.renew('t', token, 60_000);
  const given = {
    messages: [userMessage('hello')],
    events: [event('t', 1)],
    ledger: [intent('call')],
    approvals: [approval('t', 'a1')],
    memory: { policy: {} },
    artifacts: [artifact('long', 'text')],
  };
  await store.commit('t', token, 0, changes(given));
  await store.recordLate('t', 'call', toolResult('late'));
  await store.load('t');
  await store.readMessages('t', { after: 0, limit: 10 });
  await store.readEvents('t', { after: 0, limit: 10 });
  await store.readLedger('t', ['call', 'other']);
  await store.listThreads({ after: 'full-9', limit: 10 });
  // Those that only fill the table would not be read as approvals.
  await store.pendingApprovals({ after: 'b', limit: 10 });
  await store.pendingApprovals({ threadId: 't' });
  await store.findApproval('a1');
  await store.readArtifact('t', 'long');
  const asItIs = <T>(value: T): T => value;
  await store.rewriteThread('t', token, 1, {
    state: asItIs,
    message: asItIs,
    event: asItIs,
    result: asItIs,
    approval: asItIs,
    artifact: asItIs,
    memory: asItIs,
  });
  await store.deleteThread('t', token);
  await store.release('t', token);
}

/** Keeps each statement about the tables of the store, with the values it was last given. */
function recording(pool: Pool, seen: Map<string, SqlValue[]>): PostgresPool {
  return {
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      return {
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (error) => client.release(error),
        query: (query) => {
          if (/^(SELECT|INSERT|UPDATE|DELETE)/.test(query.text)) {
            seen.set(query.text, query.values ?? []);
          }
          return client.query(query);
        },
      };
    },
  };
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
