import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/errors/config-error.ts';
import { StoreAccessError, StoreVersionError } from '../../src/errors/store-error.ts';
import { loadLibsql } from '../../src/stores/sqlite/libsql-driver.ts';
import type { SqliteDriverName } from '../../src/stores/sqlite/open-driver.ts';
import { MIGRATIONS } from '../../src/stores/sqlite/schema.ts';
import { setUp } from '../../src/stores/sqlite/set-up.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { changes } from '../../src/testing/conformance/thread-store/samples.ts';
import { ended, startChild } from './child-process.ts';
import { DRIVERS, openConnection } from './open-connection.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();

describe.each(DRIVERS)('opening a sqlite store on %s', (driver) => {
  test('a file of a newer version is refused and left as it is', async () => {
    const path = newPath();
    await sqliteStore({ path, driver }).close?.();
    alter(path, driver, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    const before = readFileSync(path);
    expect(() => sqliteStore({ path, driver })).toThrow(StoreVersionError);
    expect(readFileSync(path)).toEqual(before);
  });

  test('a database of another program is refused and left as it is', () => {
    const path = newPath();
    alter(path, driver, 'CREATE TABLE threads (id TEXT)');
    const before = readFileSync(path);
    expect(() => sqliteStore({ path, driver })).toThrow('a database of another program');
    expect(readFileSync(path)).toEqual(before);
  });

  test('a file that is no database is refused and left as it is', () => {
    const path = newPath();
    writeFileSync(path, 'no database at all, but longer than a header of one. '.repeat(100));
    const before = readFileSync(path);
    expect(thrownBy(() => sqliteStore({ path, driver }))).toMatchObject({
      code: 'store-unreadable',
      cause: expect.any(Error),
    });
    expect(readFileSync(path)).toEqual(before);
  });

  test('a folder that does not exist is a store error with its cause', () => {
    const path = join(newPath(), 'nowhere.db');
    const error = thrownBy(() => sqliteStore({ path, driver }));
    expect(error).toBeInstanceOf(StoreAccessError);
    expect(error).toMatchObject({ code: 'store-failed', cause: expect.any(Error) });
    expect(String(error)).toContain(`there is no folder '${dirname(path)}'. Create it first`);
  });

  test('commits are durable, readers do not block, and foreign keys hold', async () => {
    const path = newPath();
    const store = sqliteStore({ path, driver });
    await store.claim('t', { holder: 'a', ttlMs: 1_000 });
    await store.commit('t', 1, 0, changes());
    const connection = setUp(openConnection(path, driver));
    expect(connection.all('PRAGMA journal_mode')).toMatchObject([{ journal_mode: 'wal' }]);
    expect(connection.all('PRAGMA synchronous')).toMatchObject([{ synchronous: 2 }]);
    const orphan = "INSERT INTO messages VALUES ('nobody', 1, '{}')";
    expect(thrownBy(() => connection.exec(orphan))).toMatchObject({ code: 'store-failed' });
    connection.close();
    await store.close?.();
  });

  test('four processes open one new file at once and write one thread in turns', async () => {
    const path = newPath();
    const startAt = String(Date.now() + 400);
    const children = Array.from({ length: 4 }, () =>
      ended(startChild('open-and-race.ts', [path, driver, startAt, '15'])),
    );
    for (const { code, errors } of await Promise.all(children)) {
      expect(errors).toBe('');
      expect(code).toBe(0);
    }
    const store = sqliteStore({ path, driver });
    expect(await store.load('t')).toMatchObject({ version: 60, messageCount: 60 });
    expect(await store.readMessages('t')).toHaveLength(60);
    await store.close?.();
  }, 30_000);

  test('opening waits for a process that is just making the file', async () => {
    const path = newPath();
    const child = startChild('hold-write-lock.ts', [path, '300']);
    if (child.stdout !== null) await once(child.stdout, 'data');
    const started = performance.now();
    const store = sqliteStore({ path, driver });
    expect(performance.now() - started).toBeGreaterThan(50);
    expect(await store.listThreads()).toEqual([]);
    await store.close?.();
    expect(await ended(child)).toMatchObject({ code: 0 });
  }, 30_000);
});

describe('opening a sqlite store', () => {
  test.each([[DRIVERS], [[...DRIVERS].reverse()]])(
    'one driver reads what the other wrote (%j)',
    async (drivers) => {
      const path = newPath();
      for (const [index, driver] of drivers.entries()) {
        const store = sqliteStore({ path, driver });
        const { token } = await store.claim('t', { holder: 'a', ttlMs: 1_000 });
        expect((await store.load('t'))?.version).toBe(index === 0 ? undefined : 1);
        await store.commit('t', token, index, changes());
        await store.close?.();
      }
    },
  );

  test('a later version brings the tables of an older one up to date, once', () => {
    const path = newPath();
    setUp(openConnection(path)).close();
    const next = [...MIGRATIONS, 'ALTER TABLE threads ADD COLUMN note TEXT'];
    for (let times = 0; times < 2; times += 1) {
      const connection = setUp(openConnection(path), next);
      expect(connection.all('PRAGMA user_version')).toMatchObject([{ user_version: next.length }]);
      expect(connection.all('SELECT note FROM threads')).toEqual([]);
      connection.close();
    }
    expect(() => sqliteStore({ path })).toThrow(StoreVersionError);
  });

  test('a step to a later version that fails leaves the older one', () => {
    const path = newPath();
    setUp(openConnection(path)).close();
    const broken = [...MIGRATIONS, 'CREATE TABLE extra (a TEXT); SELECT nothing FROM nowhere'];
    const connection = openConnection(path);
    expect(() => setUp(connection, broken)).toThrow(StoreAccessError);
    connection.close();
    const again = setUp(openConnection(path));
    expect(again.all("SELECT 1 FROM sqlite_master WHERE name = 'extra'")).toEqual([]);
    again.close();
  });

  test('a missing package is named with the option that does without it', () => {
    const folder = `${newPath()}.empty`;
    mkdirSync(folder);
    const error = thrownBy(() => loadLibsql(createRequire(join(folder, 'index.js'))));
    expect(error).toMatchObject({ code: 'missing-package', cause: expect.any(Error) });
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('npm install libsql');
    expect(String(error)).toContain("driver: 'node:sqlite'");
  });

  test.each(['', 'file:threads.db', 'https://host.test/db', 'libsql://host.test'])(
    'the path "%s" is refused',
    (path) => {
      expect(thrownBy(() => sqliteStore({ path }))).toMatchObject({ code: 'invalid-option' });
    },
  );

  test('an unknown driver is refused', () => {
    // What JavaScript lets through.
    const driver = 'better-sqlite3' as 'libsql';
    const error = thrownBy(() => sqliteStore({ path: newPath(), driver }));
    expect(error).toMatchObject({ code: 'invalid-option' });
  });
});

function alter(path: string, driver: SqliteDriverName, sql: string): void {
  const connection = openConnection(path, driver);
  connection.exec(sql);
  connection.close();
}

function thrownBy(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    return error;
  }
  return undefined;
}
