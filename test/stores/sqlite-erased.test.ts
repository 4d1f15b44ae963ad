import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ThreadStore } from '../../src/stores/port.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import {
  approval,
  artifact,
  changes,
  event,
  outcome,
  userMessage,
} from '../../src/testing/conformance/thread-store/samples.ts';
import { DRIVERS, openConnection } from './open-connection.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();
const MARK = 'Ångström-4711';

describe.each(DRIVERS)('what is erased from a sqlite store on %s', (driver) => {
  test('nothing of a deleted thread is left in the file or its log, however it was stored', async () => {
    const path = newPath();
    const store = sqliteStore({ path, driver });
    const tokens = await fill(store);
    expect(found(path)).toBeGreaterThan(100);
    for (let thread = 0; thread < THREADS; thread += 2) {
      await store.deleteThread(`t${thread}`, tokens[thread] ?? 0);
    }
    await store.scrub?.();
    expect(found(path)).toBe(0);
    expect(await store.readMessages('t1')).toHaveLength(COMMITS);
    await store.close?.();
    expect(found(path)).toBe(0);
  }, 60_000);

  test('nothing of a rewritten record is left', async () => {
    const path = newPath();
    const store = sqliteStore({ path, driver });
    const tokens = await fill(store);
    for (let thread = 0; thread < THREADS; thread += 2) {
      await store.rewriteThread(`t${thread}`, tokens[thread] ?? 0, COMMITS, {
        state: without,
        message: without,
        event: without,
        result: without,
        approval: without,
        artifact: without,
        memory: without,
      });
    }
    await store.scrub?.();
    expect(found(path)).toBe(0);
    expect(await store.readMessages('t0')).toHaveLength(COMMITS);
    await store.close?.();
    expect(found(path)).toBe(0);
  }, 60_000);

  test('a log that others read all the while is told of, and emptied by the next scrub', async () => {
    const path = newPath();
    const store = sqliteStore({ path, driver });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    await store.commit('t', token, 0, changes({ messages: [userMessage(MARK)] }));
    const reader = openConnection(path, driver);
    reader.exec('BEGIN');
    reader.all('SELECT id FROM threads');
    await store.deleteThread('t', token);
    await expect(async () => store.scrub?.()).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('its log still holds'),
    });
    expect(found(path)).toBeGreaterThan(0);
    reader.exec('COMMIT');
    await store.scrub?.();
    expect(found(path)).toBe(0);
    reader.close();
    await store.close?.();
  }, 60_000);
});

const THREADS = 12;
const COMMITS = 30;

/** Threads side by side, so that they share pages; every second one holds the mark, in texts of many lengths. */
async function fill(store: ThreadStore): Promise<readonly number[]> {
  const tokens: number[] = [];
  for (let thread = 0; thread < THREADS; thread += 1) {
    const claim = await store.claim(`t${thread}`, { holder: 'a', ttlMs: 600_000 });
    tokens.push(claim.token);
  }
  for (let version = 0; version < COMMITS; version += 1) {
    for (let thread = 0; thread < THREADS; thread += 1) {
      const text =
        thread % 2 === 0 ? `${MARK} `.repeat((version * version) % 701) : 'other '.repeat(version);
      const id = `t${thread}`;
      const some = changes({
        state: { text },
        messages: [userMessage(text)],
        events: [{ ...event(id, version + 1), text } as never],
        ledger: [outcome(`c${version}`, text)],
        approvals: [{ ...approval(id, `${id}:${version % 7}`), input: { text } }],
        memory: { [`p${version % 3}`]: { text } },
        artifacts: [artifact(`o${version % 5}`, text)],
      });
      await store.commit(id, tokens[thread] ?? 0, version, some);
    }
  }
  return tokens;
}

function without<Record>(record: Record): Record {
  return JSON.parse(JSON.stringify(record).replaceAll(MARK, '-')) as Record;
}

/** How often the mark is in what holds the store. */
function found(path: string): number {
  let count = 0;
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (!existsSync(file)) continue;
    count +=
      readFileSync(file).toString('latin1').split(Buffer.from(MARK).toString('latin1')).length - 1;
  }
  return count;
}
