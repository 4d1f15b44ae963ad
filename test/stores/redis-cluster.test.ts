import { inspect } from 'node:util';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ThreadStore } from '../../src/stores/port.ts';
import { type RedisClient, redisStore } from '../../src/stores/redis.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { threadStoreConformance } from '../../src/testing/conformance/thread-store.ts';
import { onService } from '../services/on-service.ts';
import { type RedisCluster, startRedisCluster } from '../services/redis-cluster.ts';
import { redisAdmin } from './redis-admin.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ONE = changes({ messages: [userMessage('one')] });

await onService('redis', (url) => {
  const { newPrefix } = redisAdmin(url);
  const clients: { disconnect(): void }[] = [];
  let cluster: RedisCluster;

  beforeAll(async () => {
    const started = await startRedisCluster();
    if (started === undefined) throw new Error('it was there a moment ago');
    cluster = started;
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await cluster.stop();
  });

  function newCluster(options: ConstructorParameters<typeof Cluster>[1] = {}): Cluster {
    const client = new Cluster([cluster.urls[0]], options);
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  }

  test('the suite of stores, and nothing is read from a replica, which may not have heard of it', async () => {
    const prefixes = new WeakMap<ThreadStore, string>();
    let replicas = 0;
    const client = newCluster({
      enableAutoPipelining: true,
      scaleReads: (nodes: Redis[]) => {
        replicas += 1;
        return nodes;
      },
    });
    const openAt = (prefix: string, now: () => number): ThreadStore => {
      const store = redisStore({ client, prefix, now });
      prefixes.set(store, prefix);
      return store;
    };
    const cases = threadStoreConformance(({ now }) => openAt(newPrefix(), now), {
      reopen: (store, { now }) => openAt(prefixes.get(store) ?? '', now),
    });
    for (const { run } of cases) await run();
    expect(replicas).toBe(0);
  });

  test.each([0, 1] as const)(
    'a client of node %i alone is refused before anything is written, and told what to give',
    async (node) => {
      const client = new Redis(cluster.urls[node]);
      clients.push(client);
      const prefix = newPrefix();
      for (const how of [{ client }, { url: cluster.urls[node] }]) {
        const store = redisStore({ ...how, prefix });
        const error = await store.open().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          code: 'store-failed',
          message: expect.stringContaining('give a `Cluster` of `ioredis` as `client`'),
        });
        expect(inspect(error, { depth: 9 })).not.toContain('127.0.0.1');
        await store.close();
      }
      expect(await client.keys(`${prefix}*`)).toEqual([]);
    },
  );

  test('a slot that moves away under two commands sent together: both are answered', async () => {
    const client = newCluster({ enableAutoPipelining: true });
    const store = redisStore({ client, prefix: newPrefix(), timeoutMs: 3_000 });
    await store.open();
    const slots = new Map<number, string>();
    for (let id = 0; slots.size < 2; id += 1) {
      const slot = await slotOf(client, `${id}`);
      if (slot < 8_192) slots.set(slot, `${id}`);
    }
    const [moving] = slots.keys();
    await cluster.move(moving ?? -1);
    const loads = [...slots.values()].map((id) => store.load(id));
    expect(await Promise.all(loads)).toEqual([undefined, undefined]);
  });

  async function slotOf(client: Cluster, id: string): Promise<number> {
    return client.cluster('KEYSLOT', `{${id}}`);
  }

  const GONE = [
    'Too many Cluster redirections. Last error: Error: Connection is closed.',
    'None of startup nodes is available',
    "Cluster isn't ready and enableOfflineQueue options is false",
    'Cluster is ended.',
    'All keys in the pipeline should belong to the same slots allocation group',
  ];

  test.each(GONE)('what the client says of nodes that went is no answer: %s', async (says) => {
    const client = newCluster();
    let failures = 0;
    const failing: RedisClient = {
      isCluster: true,
      call: async (command, args) => {
        const answer = await client.call(command, args);
        if (command !== 'EVALSHA' || failures === 0) return answer;
        failures -= 1;
        throw new Error(says);
      },
    };
    const store = redisStore({ client: failing, prefix: newPrefix(), timeoutMs: 500 });
    const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
    failures = 2;
    await store.commit('t', token, 0, ONE);
    expect(await store.load('t')).toMatchObject({ version: 1, messageCount: 1 });
    failures = Number.POSITIVE_INFINITY;
    await expect(store.commit('t', token, 1, ONE)).rejects.toMatchObject({
      code: 'store-unreachable',
    });
  });
});
