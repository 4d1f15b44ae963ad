import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { Client, Pool, types } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { ConfigError } from '../../src/errors/config-error.ts';
import { StoreAccessError, StoreVersionError } from '../../src/errors/store-error.ts';
import { Database } from '../../src/stores/postgres/database.ts';
import { loadPg } from '../../src/stores/postgres/load-pg.ts';
import { MIGRATIONS } from '../../src/stores/postgres/schema.ts';
import { setUp } from '../../src/stores/postgres/set-up.ts';
import { type PostgresPool, postgresStore } from '../../src/stores/postgres.ts';
import { loadIoredis } from '../../src/stores/redis/load-ioredis.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { changes } from '../../src/testing/conformance/thread-store/samples.ts';
import { freePort } from '../services/free-port.ts';
import { onService } from '../services/on-service.ts';
import { newSchema } from './new-schema.ts';
import { postgresAdmin, quoted } from './postgres-admin.ts';
import { redisAdmin } from './redis-admin.ts';

vi.setConfig({ testTimeout: 60_000 });

const SECRET = 'sk-not-for-a-log';

await onService('postgres', (url) => {
  const { sql } = postgresAdmin(url);
  const versionOf = async (schema: string) => sql(`SELECT version FROM ${quoted(schema)}.format`);

  test('tables of a newer version are refused and left as they are', async () => {
    const schema = newSchema();
    const store = postgresStore({ url, schema });
    await store.open();
    await store.close();
    const newer = MIGRATIONS.length + 1;
    await sql(`UPDATE ${quoted(schema)}.format SET version = ${newer}`);
    const late = postgresStore({ url, schema });
    await expect(late.load('t')).rejects.toThrow(StoreVersionError);
    expect(await versionOf(schema)).toEqual([{ version: newer }]);
    await late.close();
  });

  test('tables of another program are refused and left as they are', async () => {
    const schema = newSchema();
    await sql(`CREATE SCHEMA ${quoted(schema)}`);
    await sql(`CREATE TABLE ${quoted(schema)}.threads (id text)`);
    const store = postgresStore({ url, schema });
    await expect(store.open()).rejects.toMatchObject({ code: 'store-unreadable' });
    expect(await sql(`SELECT * FROM ${quoted(schema)}.threads`)).toEqual([]);
    await store.close();
  });

  test('ten handles that make the tables at the same moment', async () => {
    const schema = newSchema();
    const stores = Array.from({ length: 10 }, () => postgresStore({ url, schema }));
    await Promise.all(stores.map((store) => store.open()));
    expect(await versionOf(schema)).toEqual([{ version: MIGRATIONS.length }]);
    for (const store of stores) await store.close();
  });

  test('a later version brings older tables up to date, and a step that fails leaves them', async () => {
    const schema = newSchema();
    const pool = new Pool({ connectionString: url });
    const database = new Database({ pool, ownsPool: true, schema, timeoutMs: 20_000 });
    await setUp(database);
    const broken = 'CREATE TABLE {schema}.extra (a text); SELECT nothing FROM nowhere';
    await expect(setUp(database, [...MIGRATIONS, broken])).rejects.toThrow(StoreAccessError);
    expect(await sql('SELECT to_regclass($1) AS found', [`${quoted(schema)}.extra`])).toEqual([
      { found: null },
    ]);
    const next = [...MIGRATIONS, 'ALTER TABLE {schema}.threads ADD COLUMN note text'];
    await Promise.all([1, 2, 3].map(() => setUp(database, next)));
    expect(await versionOf(schema)).toEqual([{ version: next.length }]);
    expect(await sql(`SELECT note FROM ${quoted(schema)}.threads`)).toEqual([]);
    await database.close();
  });

  test("the app's own pool is used as it is, and stays", async () => {
    const pool = new Pool({ connectionString: url, max: 1 });
    const before = pool.eventNames();
    const store = postgresStore({ pool, schema: newSchema() });
    for (let times = 0; times < 20; times += 1) await store.load('t');
    const client = await pool.connect();
    // One listener is that of the pool while a client is idle, which it is not now.
    expect(client.listenerCount('error')).toBe(0);
    client.release();
    expect(pool.eventNames()).toEqual(before);
    await store.close();
    await expect(store.load('t')).rejects.toMatchObject({ code: 'store-closed' });
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('one connection in place of a pool is refused', async () => {
    const client = new Client(url);
    client.on('error', () => undefined);
    const store = postgresStore({ pool: client as unknown as PostgresPool });
    await expect(store.load('t')).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining('Give a `Pool` of `pg`'),
    });
    await client.end();
  });

  test('what the app made of numbers and texts does not matter', async () => {
    const parser = types.getTypeParser(20);
    types.setTypeParser(20, BigInt);
    const store = postgresStore({ url, schema: newSchema() });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    await store.commit('t', token, 0, changes());
    expect(await store.load('t')).toMatchObject({ version: 1, messageCount: 0, lastSeq: 0 });
    types.setTypeParser(20, parser);
    await store.close();
  });

  test('what the server says of a row it refused is in no error', async () => {
    const schema = newSchema();
    const store = postgresStore({ url, schema });
    await store.open();
    await sql(`ALTER TABLE ${quoted(schema)}.memory ADD CHECK (length(json) < 10)`);
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    const refused = store.commit('t', token, 0, changes({ memory: { p: { s: SECRET } } }));
    const error = await Promise.resolve(refused).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'store-failed', cause: { code: '23514' } });
    expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
    expect(await store.load('t')).toBeUndefined();
    await store.close();
  });

  test('tables that are gone are named as unreadable', async () => {
    const schema = newSchema();
    const store = postgresStore({ url, schema });
    await store.open();
    await sql(`DROP SCHEMA ${quoted(schema)} CASCADE`);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'store-unreadable' });
    await store.close();
  });
});

await onService('redis', (url) => {
  const { admin, newPrefix } = redisAdmin(url);

  test.each([
    ['99', 'store-version'],
    ['of another program', 'store-unreadable'],
  ])('a format that is %s is refused and left as it is', async (format, code) => {
    const prefix = newPrefix();
    await admin.set(`${prefix}:format`, format);
    const store = redisStore({ url, prefix });
    await expect(store.load('t')).rejects.toMatchObject({ code });
    expect(await admin.get(`${prefix}:format`)).toBe(format);
    await store.close();
  });

  test("the app's own client is used as it is, and stays", async () => {
    const client = new Redis(url);
    const before = client.eventNames();
    const store = redisStore({ client, prefix: newPrefix() });
    for (let times = 0; times < 20; times += 1) await store.load('t');
    expect(client.eventNames()).toEqual(before);
    await store.close();
    await expect(store.load('t')).rejects.toMatchObject({ code: 'store-closed' });
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });

  test('all keys of a thread share one hash tag, whatever the id is', async () => {
    const prefix = newPrefix();
    const store = redisStore({ url, prefix });
    const ids = ['a', 'a}b', '}', '{', '{}', 'a%7Db', '%'];
    for (const id of ids) {
      const { token } = await store.claim(id, { holder: 'a', ttlMs: 60_000 });
      await store.commit(id, token, 0, changes({ memory: { p: {} } }));
    }
    const keys = (await admin.keys(`${prefix}:{*`)).sort();
    expect(keys).toHaveLength(2 * ids.length);
    const tags = keys.map((key) => /\{([^}]+)\}/.exec(key)?.[1]);
    expect(new Set(tags).size).toBe(ids.length);
    await store.close();
  });
});

describe('stores of a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-empty-'));
  mkdirSync(join(folder, 'app'));
  const resolve = createRequire(join(folder, 'app', 'index.js'));

  test.each([
    ['pg', () => loadPg(resolve), '`pool`'],
    ['ioredis', () => loadIoredis(resolve), '`client`'],
  ])(
    'the missing package %s is named with the option that does without it',
    (name, load, option) => {
      const error = thrownBy(load);
      expect(error).toBeInstanceOf(ConfigError);
      expect(error).toMatchObject({ code: 'missing-package', cause: expect.any(Error) });
      expect(String(error)).toContain(`npm install ${name}`);
      expect(String(error)).toContain(option);
      rmSync(folder, { recursive: true, force: true });
    },
  );

  test.each([
    "import('./src/stores/postgres.ts').then((it) => it.postgresStore({ url: 'postgres://h/d' }))",
    "import('./src/stores/redis.ts').then((it) => it.redisStore({ url: 'redis://h' }).close())",
    "import('./src/stores/sqlite.ts').then((it) => it.sqliteStore({ path: ':memory:', driver: 'libsql' }))",
  ])('a program on the command line finds the package: %s', (program) => {
    const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
  });

  const good = 'postgres://localhost/db';
  test('why a server is not reached is told of, and not where it was looked for', async () => {
    const port = String(await freePort());
    const address = `127.0.0.1:${port}`;
    for (const store of [
      postgresStore({ url: `postgres://${address}/x`, timeoutMs: 500 }),
      redisStore({ url: `redis://${address}`, timeoutMs: 500 }),
    ]) {
      const error = await Promise.resolve(store.load('t')).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'store-unreachable', cause: { code: 'ECONNREFUSED' } });
      expect(inspect(error, { depth: 9 })).not.toContain(port);
      await store.close();
    }
  });

  test('the certificate of another server is told of without the name of either', async () => {
    const host = 'db-7.internal.example';
    const certificate = { subject: { CN: 'x' }, subjectaltname: 'DNS:other.internal.example' };
    const other = checkServerIdentity(host, certificate as PeerCertificate);
    const refuses = () => Promise.reject(other);
    const stores = [
      postgresStore({ pool: { connect: refuses, end: refuses } as unknown as PostgresPool }),
      redisStore({ client: { call: refuses } }),
    ];
    for (const store of stores) {
      const error = await Promise.resolve(store.load('t')).catch((thrown: unknown) => thrown);
      const told = inspect(error, { depth: 9 });
      expect(told).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
      expect(told).toContain("does not match certificate's altnames");
      expect(told).not.toContain('internal.example');
    }
  });

  test.each<[what: string, make: () => unknown]>([
    ['no address', () => postgresStore({ url: '' })],
    ['an address that cannot be read', () => postgresStore({ url: `postgres://u:${SECRET}@[/x` })],
    ['an address of something else', () => postgresStore({ url: `https://u:${SECRET}@host.test` })],
    ['no schema', () => postgresStore({ url: good, schema: '' })],
    ['a schema that would be cut', () => postgresStore({ url: good, schema: 'é'.repeat(32) })],
    ['what is no pool', () => postgresStore({ pool: Object({ secret: SECRET }) })],
    ['what is no client', () => redisStore({ client: Object({ sendCommand: () => SECRET }) })],
    ['no time', () => postgresStore({ url: good, timeoutMs: 0 })],
    ['an address of another store', () => redisStore({ url: `postgres://u:${SECRET}@host.test` })],
    ['a prefix with braces', () => redisStore({ url: 'redis://localhost', prefix: 'a{b}' })],
    [
      'more time than a timer has',
      () => redisStore({ url: 'redis://localhost', timeoutMs: 2 ** 31 }),
    ],
  ])('%s is refused, and nothing of it is repeated', (_what, make) => {
    const error = thrownBy(make);
    expect(error).toMatchObject({ code: 'invalid-option' });
    expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
  });
});

function thrownBy(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    return error;
  }
  return undefined;
}
