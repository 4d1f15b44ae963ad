import { postgresStore } from 'agent-hooks/stores/postgres';
import { Pool } from 'pg';
import { startPostgres } from '../../test/services/postgres-server.ts';
import type { Session, Size, StorageContender } from './contender.ts';
import { sessionOn } from './ours.ts';

/** What makes a commit durable, as a server has it that nobody has told otherwise. */
const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };
const TABLES = ['threads', 'messages', 'events', 'ledger', 'approvals', 'memory', 'artifacts'];

/** A server of its own; `undefined` where it is not installed. */
export async function startOnPostgres(): Promise<StorageContender | undefined> {
  const server = await startPostgres(DURABLE);
  if (server === undefined) return undefined;
  const pool = new Pool({ connectionString: server.url, max: 1 });
  const value = async (sql: string): Promise<string> => {
    const { rows } = await pool.query<{ value: string }>(sql);
    return rows[0]?.value ?? '';
  };
  let schemas = 0;
  return {
    name: 'postgres',
    settings: async () => {
      const names = ['server_version', ...Object.keys(DURABLE)];
      const all = names.map(async (name) => `${name} = ${await value(setting(name))}`);
      return (await Promise.all(all)).join(', ');
    },
    open: () => {
      schemas += 1;
      return openSession({ url: server.url, schema: `bench_${schemas}`, value });
    },
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

interface About {
  readonly url: string;
  readonly schema: string;
  /** Of a column called `value`. */
  readonly value: (sql: string) => Promise<string>;
}

async function openSession({ url, schema, value }: About): Promise<Session> {
  const store = postgresStore({ url, schema });
  await store.open();
  const sum = async (of: (table: string) => string): Promise<number> =>
    Number(
      await value(`SELECT ${TABLES.map((table) => of(`${schema}.${table}`)).join(' + ')} AS value`),
    );
  const size = async (): Promise<Size> => ({
    stored: await sum((table) => `pg_total_relation_size('${table}')`),
    logged: Number(await value("SELECT pg_current_wal_insert_lsn() - '0/0' AS value")),
    rows: await sum((table) => `(SELECT count(*) FROM ${table})`),
  });
  return sessionOn(store, {
    before: size,
    after: size,
    close: async () => {
      await value(`DROP SCHEMA ${schema} CASCADE`);
    },
  });
}

function setting(name: string): string {
  return `SELECT current_setting('${name}') AS value`;
}
