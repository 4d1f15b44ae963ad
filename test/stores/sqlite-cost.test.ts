import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { SqliteDriver } from '../../src/stores/sqlite/driver.ts';
import { openDriver } from '../../src/stores/sqlite/open-driver.ts';
import { setUp } from '../../src/stores/sqlite/set-up.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
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
import { connectionOn, openConnection } from './open-connection.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();

describe('what a commit to a sqlite store costs', () => {
  test('bytes written do not grow with the history', () => {
    const short = bytesPerCommit(10);
    const long = bytesPerCommit(5_000);
    expect(short).toBeGreaterThan(0);
    // A deeper tree splits a page now and then; a growing cost would be hundreds of times as much.
    expect(long).toBeLessThan(short * 1.6);
  }, 60_000);

  test('no read and no write goes through a whole table', () => {
    const path = newPath();
    const statements = new Set<string>();
    const store = new SqliteStore(
      setUp(connectionOn(recorded(openDriver(path), statements))),
      Date.now,
    );
    useEverything(store);
    store.close();
    const connection = openConnection(path);
    const queries = [...statements].filter((sql) => /^(SELECT|UPDATE|INSERT|DELETE)/.test(sql));
    expect(queries.length).toBeGreaterThan(15);
    for (const sql of queries) {
      const values = Array.from({ length: sql.split('?').length - 1 }, () => 0);
      const plan = connection.all(`EXPLAIN QUERY PLAN ${sql}`, values);
      const steps = plan.map((row) => String(row['detail'])).join('; ');
      expect(`${sql}: ${steps}`).not.toContain('TEMP B-TREE');
      // The first page of all threads or of all open approvals has no key to start from.
      const walksAnIndex = /SCAN threads USING (COVERING )?INDEX/.test(steps);
      if (!walksAnIndex) expect(`${sql}: ${steps}`).not.toMatch(/\bSCAN (?!sqlite_)/);
    }
    connection.close();
  });
});

/** The mean over 50 commits on top of a history, as the log of the database grew. */
function bytesPerCommit(history: number): number {
  const path = newPath();
  const connection = setUp(openConnection(path));
  // Only the bytes are measured here, so the history need not wait for the disk.
  connection.exec('PRAGMA synchronous = OFF');
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  const store = new SqliteStore(connection, Date.now);
  const { token } = store.claim('t', { holder: 'a', ttlMs: 600_000 });
  const commit = (version: number): void => {
    const messages = [userMessage(`message ${version} ${'x'.repeat(300)}`)];
    const events = [1, 2, 3].map((index) => event('t', version * 3 + index));
    store.commit('t', token, version, changes({ state: { version }, messages, events }));
  };
  for (let version = 0; version < history; version += 1) commit(version);
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const before = statSync(`${path}-wal`).size;
  for (let version = history; version < history + 50; version += 1) commit(version);
  const bytes = (statSync(`${path}-wal`).size - before) / 50;
  store.close();
  return bytes;
}

function recorded(driver: SqliteDriver, statements: Set<string>): SqliteDriver {
  return {
    ...driver,
    prepare: (sql) => {
      statements.add(sql.trim());
      return driver.prepare(sql);
    },
  };
}

function useEverything(store: SqliteStore): void {
  const { token } = store.claim('t', { holder: 'a', ttlMs: 1_000 });
  store.renew('t', token, 1_000);
  const some = changes({
    messages: [userMessage('one')],
    events: [event('t', 1)],
    ledger: [intent('c1'), outcome('c2', 'done')],
    approvals: [approval('t', 'a1')],
    memory: { p: {} },
    artifacts: [artifact('o1', 'one')],
  });
  store.commit('t', token, 0, some);
  store.commit('t', token, 1, changes({ ledger: [outcome('c2', 'again')] }));
  store.load('t');
  store.readMessages('t');
  store.readEvents('t');
  store.readLedger('t', ['c1']);
  store.listThreads();
  store.listThreads({ after: 'a' });
  store.pendingApprovals();
  store.pendingApprovals({ threadId: 't' });
  store.findApproval('a1');
  store.recordLate('t', 'c1', toolResult('late'));
  store.rewriteThread('t', token, 2, {
    state: (state) => state,
    message: (message) => message,
    event: (each) => each,
    result: (result) => result,
    approval: (each) => each,
    artifact: (each) => each,
    memory: (memory) => memory,
  });
  store.deleteThread('t', token);
  store.release('t', token);
}
