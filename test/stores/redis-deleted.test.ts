import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { type RedisClient, redisStore } from '../../src/stores/redis.ts';
import { changes } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';

await onService('redis', (url) => {
  const own = new Redis(url);
  afterAll(() => own.disconnect());

  test('a thread that begins anew while its deletion is slow is still listed', async () => {
    const prefix = `deleted-${process.pid}`;
    let isSlow = true;
    const later = redisStore({ url, prefix, now: () => Date.now() + 60_000 });
    const beginAnew = async (): Promise<void> => {
      const { token } = await later.claim('t', { holder: 'later', ttlMs: 60_000 });
      await later.commit('t', token, 0, changes());
    };
    const client: RedisClient = {
      call: async (command, args) => {
        if (command === 'ZREM' && args[0] === `${prefix}:threads` && isSlow) {
          isSlow = false;
          await beginAnew();
        }
        return own.call(command, args);
      },
    };
    const store = redisStore({ client, prefix });
    const { token } = await store.claim('t', { holder: 'slow', ttlMs: 30_000 });
    await store.commit('t', token, 0, changes());
    await store.deleteThread('t', token);
    expect(isSlow).toBe(false);
    expect(await later.listThreads()).toEqual([{ threadId: 't', version: 1 }]);
    await later.deleteThread('t', token + 1);
    expect(await later.listThreads()).toEqual([]);
    await later.close();
  });
});
