import { StoreAccessError, StoreVersionError } from '../../errors/store-error.ts';
import { readNumber } from '../records.ts';
import type { Database, Run } from './database.ts';
import { MIGRATIONS } from './schema.ts';

/**
 * Makes the tables, or brings them up to date. Refuses a newer version before anything is written, and tables of
 * another program. Any number of processes may do this at once: they wait for each other.
 */
export async function setUp(
  database: Database,
  migrations: readonly string[] = MIGRATIONS,
): Promise<void> {
  await database.transaction(async (run) => {
    const found = await foundVersion(database, run);
    refuseNewer(database, found ?? 0, migrations);
    if (found === migrations.length) return;
    await migrate(database, run, migrations);
  });
}

/** Looks again once it is alone: another process may have done the same meanwhile. */
async function migrate(database: Database, run: Run, migrations: readonly string[]): Promise<void> {
  const { schema } = database;
  await run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`agent-hooks ${schema}`]);
  const found = await foundVersion(database, run);
  refuseNewer(database, found ?? 0, migrations);
  if (found === undefined) await makeSchema(database, run);
  for (const migration of migrations.slice(found ?? 0)) {
    await run(migration.replaceAll('{schema}', () => schema));
  }
  await run(`UPDATE ${schema}.format SET version = $1`, [migrations.length]);
}

async function makeSchema({ name, schema, where }: Database, run: Run): Promise<void> {
  const [encoding] = await run("SELECT current_setting('server_encoding') AS name");
  if (encoding?.['name'] !== 'UTF8') {
    throw new StoreAccessError('unreadable', where, {
      what: 'the encoding of the database is not UTF8, so it cannot hold every text',
    });
  }
  const known = await run('SELECT 1 FROM pg_namespace WHERE nspname = $1', [name]);
  // Asked for first: who may use a schema need not have the right to make one.
  if (known.length === 0) await run(`CREATE SCHEMA ${schema}`);
  if (await hasTable(run, name, 'threads')) {
    throw new StoreAccessError('unreadable', where, {
      what: 'its schema holds tables of another program',
    });
  }
  await run(`CREATE TABLE ${schema}.format (version integer NOT NULL)`);
  await run(`INSERT INTO ${schema}.format (version) VALUES (0)`);
}

/** `undefined` where there is no store yet. */
async function foundVersion({ name, schema }: Database, run: Run): Promise<number | undefined> {
  if (!(await hasTable(run, name, 'format'))) return undefined;
  const [row] = await run(`SELECT version FROM ${schema}.format`);
  return readNumber(row?.['version'], { table: 'format', thread: 'of all', key: 'version' });
}

/** Looked up as rows: the server remembers names it did not find, also when another has made them since. */
async function hasTable(run: Run, schema: string, table: string): Promise<boolean> {
  const found = await run(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, table],
  );
  return found.length > 0;
}

function refuseNewer({ where }: Database, found: number, migrations: readonly string[]): void {
  if (found > migrations.length) throw new StoreVersionError(where, found, migrations.length);
}
