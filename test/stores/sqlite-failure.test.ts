import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { LedgerMismatchError, StoreAccessError } from '../../src/errors/store-error.ts';
import { Connection } from '../../src/stores/sqlite/connection.ts';
import { openDriver } from '../../src/stores/sqlite/open-driver.ts';
import { setUp } from '../../src/stores/sqlite/set-up.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import {
  changes,
  event,
  intent,
  userMessage,
} from '../../src/testing/conformance/thread-store/samples.ts';
import { startChild } from './child-process.ts';
import { DRIVERS, openConnection } from './open-connection.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();

describe.each(DRIVERS)('a failing sqlite store on %s', (driver) => {
  test('B46: a process killed between commits leaves every commit it told of, and no half of one', async () => {
    const path = newPath();
    const child = startChild('commit-until-killed.ts', [path, driver]);
    let told = '';
    child.stdout?.on('data', (text: string) => {
      told += text;
      if (Number(told.trim().split('\n').at(-1)) >= 25) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const said = Number(told.slice(0, told.lastIndexOf('\n')).split('\n').at(-1));
    const store = sqliteStore({ path, driver });
    const thread = await store.load('t');
    const version = thread?.version ?? 0;
    expect(version).toBeGreaterThanOrEqual(said);
    expect(thread).toMatchObject({
      state: { version: version - 1 },
      messageCount: 2 * version,
      lastSeq: version,
    });
    expect(await store.readMessages('t')).toHaveLength(2 * version);
    expect(await store.readEvents('t')).toHaveLength(version);
    const connection = openConnection(path, driver);
    const [row] = connection.all('PRAGMA integrity_check');
    expect(row).toMatchObject({ integrity_check: 'ok' });
    connection.close();
    await store.close?.();
  }, 30_000);

  test('a full disk is a store error, and the thread stays as it was', async () => {
    const path = newPath();
    const connection = setUp(openConnection(path, driver));
    const store = new SqliteStore(connection, Date.now);
    const { token } = store.claim('t', { holder: 'a', ttlMs: 60_000 });
    const first = changes({ messages: [userMessage('one')], memory: { p: { n: 1 } } });
    store.commit('t', token, 0, first);
    const before = store.load('t');
    const [pages] = connection.all('PRAGMA page_count');
    connection.exec(`PRAGMA max_page_count = ${Number(pages?.['page_count']) + 2}`);
    const big = changes({
      messages: [userMessage('two'), userMessage('x'.repeat(100_000))],
      memory: { p: { n: 2 } },
    });
    for (let times = 0; times < 3; times += 1) {
      expect(thrownBy(() => store.commit('t', token, 1, big))).toMatchObject({
        code: 'store-full',
        cause: expect.any(Error),
      });
      expect(store.load('t')).toEqual(before);
      expect(store.readMessages('t')).toEqual(first.messages);
    }
    connection.exec('PRAGMA max_page_count = 1000000');
    store.commit('t', token, 1, big);
    expect(store.readMessages('t')).toHaveLength(3);
    store.close();
  });

  test('a writer that waits too long is told so, and can repeat', () => {
    const path = newPath();
    const connection = setUp(openConnection(path, driver));
    const store = new SqliteStore(connection, Date.now);
    connection.exec('PRAGMA busy_timeout = 20');
    const other = openConnection(path, driver);
    other.exec('BEGIN IMMEDIATE');
    const claim = (): unknown => store.claim('t', { holder: 'a', ttlMs: 1_000 });
    expect(thrownBy(claim)).toMatchObject({ code: 'store-busy', cause: expect.any(Error) });
    other.exec('ROLLBACK');
    expect(claim()).toMatchObject({ token: 1 });
    other.close();
    store.close();
  });

  test('a write has its turn before it reads, so what it read still holds', () => {
    const path = newPath();
    const connection = setUp(openConnection(path, driver));
    const other = openConnection(path, driver);
    connection.write(() => {
      expect(thrownBy(() => other.exec('BEGIN IMMEDIATE'))).toMatchObject({ code: 'store-busy' });
    });
    other.exec('BEGIN IMMEDIATE; ROLLBACK');
    other.close();
    connection.close();
  });

  test('readers go on while another connection writes', () => {
    const path = newPath();
    const store = new SqliteStore(setUp(openConnection(path, driver)), Date.now);
    store.claim('t', { holder: 'a', ttlMs: 1_000 });
    store.commit('t', 1, 0, changes({ messages: [userMessage('one')] }));
    const other = setUp(openConnection(path, driver));
    other.exec("BEGIN IMMEDIATE; UPDATE threads SET version = 7 WHERE id = 't'");
    expect(store.load('t')).toMatchObject({ version: 1 });
    expect(store.readMessages('t')).toHaveLength(1);
    other.exec('ROLLBACK');
    other.close();
    store.close();
  });

  test('a value that is no JSON is a store error, and nothing is written', async () => {
    const store = sqliteStore({ path: newPath(), driver });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 1_000 });
    const cycle: { [key: string]: never } = {};
    Object.assign(cycle, { cycle });
    const bad = { ...changes({ messages: [userMessage('one')] }), memory: { p: cycle } };
    expect(thrownBy(() => store.commit('t', token, 0, bad))).toMatchObject({
      code: 'store-failed',
    });
    expect(await store.load('t')).toBeUndefined();
    await store.close?.();
  });

  test('a refused commit leaves the connection able to write', async () => {
    const store = sqliteStore({ path: newPath(), driver });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 1_000 });
    await store.commit('t', token, 0, changes({ ledger: [intent('c1')] }));
    const bad = changes({ events: [event('t', 1)], ledger: [intent('c1', 'other')] });
    for (let times = 0; times < 3; times += 1) {
      expect(thrownBy(() => store.commit('t', token, 1, bad))).toBeInstanceOf(LedgerMismatchError);
    }
    await store.commit('t', token, 1, changes({ events: [event('t', 1)] }));
    await store.close?.();
  });
});

describe('closing on a full disk', () => {
  test('closes: what cannot leave the log is found in it by the next', async () => {
    const path = newPath();
    const driver = openDriver(path);
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const connection = new Connection(
      {
        ...driver,
        exec: (sql) => {
          if (sql.includes('wal_checkpoint')) throw full;
          driver.exec(sql);
        },
      },
      'test',
    );
    const store = new SqliteStore(setUp(connection), Date.now);
    const { token } = store.claim('t', { holder: 'a', ttlMs: 60_000 });
    store.commit('t', token, 0, changes());
    store.close();
    expect(connection.isOpen).toBe(false);
    const next = sqliteStore({ path });
    expect(await next.load('t')).toMatchObject({ version: 1 });
    next.close();
  });
});

describe('a failing rollback', () => {
  test('gives the connection up, and tells of both failures', () => {
    const driver = openDriver(':memory:');
    const connection = new Connection(
      {
        ...driver,
        exec: (sql) => {
          if (sql === 'ROLLBACK') throw new Error('the disk is gone');
          driver.exec(sql);
        },
      },
      'test',
    );
    const error = thrownBy(() =>
      connection.write(() => {
        throw new Error('the write failed');
      }),
    );
    expect(error).toBeInstanceOf(StoreAccessError);
    expect(error).toMatchObject({
      cause: { errors: [{ message: 'the write failed' }, { message: 'the disk is gone' }] },
    });
    expect(thrownBy(() => connection.exec('SELECT 1'))).toMatchObject({ code: 'store-closed' });
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
