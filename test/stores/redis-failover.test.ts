import { Redis } from 'ioredis';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type RedisClient, redisStore } from '../../src/stores/redis.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { startRedis } from '../services/redis-server.ts';
import type { Server } from '../services/server.ts';
import { redisAdmin } from './redis-admin.ts';
import { tcpProxy } from './tcp-proxy.ts';

vi.setConfig({ testTimeout: 60_000 });

const ONE = changes({ messages: [userMessage('one')] });

await onService('redis', (url) => {
  const { admin, newPrefix } = redisAdmin(url);
  const clients: Redis[] = [];
  const newClient = (server: string): Redis => {
    const client = new Redis(server);
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const servers: Server[] = [];
  const newServer = async (settings: readonly string[] = []): Promise<Server> => {
    const server = await startRedis(settings);
    if (server === undefined) throw new Error('it was there a moment ago');
    servers.push(server);
    return server;
  };
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    for (const server of servers) await server.stop();
  });

  test('a server that only reads any more is left for the one that took over from it', async () => {
    const old = await newServer();
    const portOf = (server: string) => Number(new URL(server).port);
    let master = portOf(old.url);
    const proxy = await tcpProxy(() => master);
    const demoted = newClient(old.url);
    const store = redisStore({
      url: `redis://127.0.0.1:${proxy.port}`,
      prefix: newPrefix(),
      timeoutMs: 3_000,
    });
    await store.open();
    // Its connections stay, as they do where a name is given to another server.
    master = portOf(url);
    await demoted.replicaof('127.0.0.1', master);
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    await store.commit('t', token, 0, ONE);
    expect(await store.load('t')).toMatchObject({ version: 1, messageCount: 1 });
    await store.close();
    await proxy.close();
  });

  test('a server that waits for its replicas is waited for', async () => {
    const server = await newServer(['--min-replicas-to-write', '1']);
    const alone = newClient(server.url);
    const store = redisStore({ url: server.url, timeoutMs: 3_000 });
    const claiming = store.claim('t', { holder: 'a', ttlMs: 60_000 });
    setTimeout(() => void alone.config('SET', 'min-replicas-to-write', '0'), 200);
    expect(await claiming).toMatchObject({ token: 1 });
    await alone.config('SET', 'min-replicas-to-write', '1');
    const impatient = redisStore({ url: server.url, timeoutMs: 200 });
    await expect(impatient.release('t', 1)).rejects.toMatchObject({
      code: 'store-unreachable',
      cause: { message: expect.stringContaining('NOREPLICAS') },
    });
    await store.close();
    await impatient.close();
  });

  test.each([
    ['MISCONF Errors writing to the AOF file: No space left on device', 'store-full'],
    ['MISCONF Errors writing to the AOF file: Input/output error', 'store-failed'],
  ])('a server that cannot keep what is written: %s', async (says, code) => {
    const client: RedisClient = {
      call: (command, args) =>
        command === 'EVALSHA'
          ? Promise.reject(Object.assign(new Error(says), { name: 'ReplyError' }))
          : admin.call(command, args),
    };
    const store = redisStore({ client, prefix: newPrefix() });
    await expect(store.claim('t', { holder: 'a', ttlMs: 1 })).rejects.toMatchObject({ code });
  });

  describe('a server before version 7, which tells of a script where it failed', () => {
    const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';
    const AS_OLD: readonly (readonly [says: string, code: string])[] = [
      ["@user_script: 7: -OOM command not allowed when used memory > 'maxmemory'.", 'store-full'],
      [
        "@user_script: 7: -READONLY You can't write against a read only replica.",
        'store-unreachable',
      ],
      [WRONG_TYPE, 'corrupt-record'],
      ['ERR something else', 'store-failed'],
    ];

    test.each(AS_OLD)('%s', async (says, code) => {
      let failures = 0;
      const old: RedisClient = {
        call: (command, args) => {
          if (command !== 'EVALSHA' || failures === 0) return admin.call(command, args);
          failures -= 1;
          const text = `ERR Error running script (call to f_${args[0]}): @user_script:7: ${says}`;
          return Promise.reject(Object.assign(new Error(text), { name: 'ReplyError' }));
        },
      };
      const store = redisStore({ client: old, prefix: newPrefix(), timeoutMs: 500 });
      const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
      failures = Number.POSITIVE_INFINITY;
      await expect(store.commit('t', token, 0, ONE)).rejects.toMatchObject({ code });
      if (code !== 'store-unreachable') return;
      failures = 1;
      await store.commit('t', token, 0, ONE);
      expect(await store.load('t')).toMatchObject({ version: 1, messageCount: 1 });
    });
  });
});
