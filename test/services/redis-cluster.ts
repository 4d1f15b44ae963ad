import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { startRedis } from './redis-server.ts';

/** Two masters, each with one half of the slots. */
export interface RedisCluster {
  readonly urls: readonly [string, string];
  /** Gives an empty slot of the first half to the second node. */
  move(slot: number): Promise<void>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;

/** Starts it, empty; `undefined` where Redis is not installed. It takes two seconds before it lets anybody write. */
export async function startRedisCluster(): Promise<RedisCluster | undefined> {
  const [first, second] = await Promise.all([startNode(), startNode()]);
  if (first === undefined || second === undefined) return undefined;
  const { hostname, port } = new URL(second.url);
  const half = SLOTS / 2;
  await first.admin.call('CLUSTER', ['ADDSLOTSRANGE', 0, half - 1]);
  await second.admin.call('CLUSTER', ['ADDSLOTSRANGE', half, SLOTS - 1]);
  // Equal ones would have to be settled first.
  await first.admin.call('CLUSTER', ['SET-CONFIG-EPOCH', 1]);
  await second.admin.call('CLUSTER', ['SET-CONFIG-EPOCH', 2]);
  await first.admin.call('CLUSTER', ['MEET', hostname, port, second.bus]);
  for (const { admin } of [first, second]) await isWhole(admin);
  return {
    urls: [first.url, second.url],
    move: async (slot) => {
      const to = await second.admin.call('CLUSTER', ['MYID']);
      for (const { admin } of [second, first]) {
        await admin.call('CLUSTER', ['SETSLOT', slot, 'NODE', String(to)]);
      }
    },
    stop: async () => {
      await Promise.all([first.stop(), second.stop()]);
    },
  };
}

async function startNode() {
  const bus = await freePort();
  const server = await startRedis(['--cluster-enabled', 'yes', '--cluster-port', String(bus)]);
  if (server === undefined) return undefined;
  const admin = new Redis(server.url);
  admin.on('error', () => undefined);
  const stop = async (): Promise<void> => {
    admin.disconnect();
    await server.stop();
  };
  return { url: server.url, bus, admin, stop };
}

async function isWhole(admin: Redis): Promise<void> {
  for (const until = Date.now() + 30_000; ; ) {
    if (String(await admin.call('CLUSTER', ['INFO'])).startsWith('cluster_state:ok')) return;
    if (Date.now() > until) throw new Error('the nodes of the cluster do not find each other');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
