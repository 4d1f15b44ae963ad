import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { expect, test, vi } from 'vitest';
import type { ThreadStore } from '../../src/stores/port.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { startPostgres } from '../services/postgres-server.ts';
import { startRedis } from '../services/redis-server.ts';
import type { Server } from '../services/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const COMMITS = 60;
const CRASH_AT = [15, 30, 45];

/** A server of its own, as other files use the common one. */
async function ownServer(start: () => Promise<Server | undefined>): Promise<Server> {
  const server = await start();
  if (server === undefined) throw new Error('it was there a moment ago');
  return server;
}

/** Commits all the while, in the middle of which the server crashes; none may fail, be lost or be done twice. */
async function commitThrough(store: ThreadStore, crash: () => Promise<unknown>): Promise<void> {
  const { token } = await store.claim('t', { holder: 'a', ttlMs: 600_000 });
  const crashes: Promise<unknown>[] = [];
  for (let version = 0; version < COMMITS; version += 1) {
    if (CRASH_AT.includes(version)) crashes.push(crash());
    await store.commit('t', token, version, changes({ messages: [userMessage(`${version}`)] }));
  }
  await Promise.all(crashes);
  const expected = Array.from({ length: COMMITS }, (_, version) => userMessage(`${version}`));
  expect(await store.readMessages('t')).toEqual(expected);
  expect(await store.load('t')).toMatchObject({ version: COMMITS, messageCount: COMMITS });
}

/** One process of the server dies hard, which takes all connections along, and what was not committed. */
async function crashPostgres(connectionString: string): Promise<void> {
  for (;;) {
    const pool = new Pool({ connectionString, max: 1 });
    pool.on('error', () => undefined);
    // Nobody answers while an earlier crash is recovered from.
    const found = await pool.query('SELECT pg_backend_pid() AS pid').catch(() => undefined);
    const hasDied = found !== undefined && kill(found.rows[0]?.pid);
    await pool.end();
    if (hasDied) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** False for a process that an earlier crash has taken along meanwhile. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ESRCH') return false;
    throw error;
  }
}

await onService('postgres', () => {
  test('a server that crashes and recovers three times: every commit is done, and done once', async () => {
    const server = await ownServer(startPostgres);
    const store = postgresStore({ url: server.url, timeoutMs: 60_000 });
    await store.open();
    await commitThrough(store, () => crashPostgres(server.url));
    await store.close();
    await server.stop();
  });
});

await onService('redis', () => {
  test('a server that crashes and comes back three times: every commit is done, and done once', async () => {
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];
    const server = await ownServer(() => startRedis([...durable, '--enable-debug-command', 'yes']));
    const store = redisStore({ url: server.url, timeoutMs: 60_000 });
    await store.open();
    await commitThrough(store, async () => {
      const admin = new Redis(server.url, {
        maxRetriesPerRequest: 0,
        autoResendUnfulfilledCommands: false,
      });
      admin.on('error', () => undefined);
      await admin.call('DEBUG', ['CRASH-AND-RECOVER', '200']).catch(() => undefined);
      admin.disconnect();
    });
    await store.close();
    await server.stop();
  });
});
