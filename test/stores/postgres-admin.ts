import { Pool } from 'pg';
import { afterAll } from 'vitest';
import { newSchema } from './new-schema.ts';

/** The database beside the store, to look at it or to damage it, and the schema of this test file. */
export function postgresAdmin(url: string): {
  readonly schema: string;
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  /** Leaves the tables, if there are some, with nothing in them: cheaper than making them anew. */
  readonly empty: () => Promise<void>;
} {
  const schema = newSchema();
  const pool = new Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  const sql = async (text: string, values: unknown[] = []) => {
    const { rows } = await pool.query(text.replaceAll('{schema}', quoted(schema)), values);
    return rows;
  };
  afterAll(async () => {
    await sql('DROP SCHEMA IF EXISTS {schema} CASCADE');
    await pool.end();
  });
  const empty = async () => {
    const [row] = await sql('SELECT to_regclass($1) AS found', [`${quoted(schema)}.threads`]);
    if (row?.['found'] !== null)
      await sql('TRUNCATE {schema}.threads, {schema}.counters, {schema}.increments CASCADE');
  };
  return { schema, sql, empty };
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
