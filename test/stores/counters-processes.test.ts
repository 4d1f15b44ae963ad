import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { onService } from '../services/on-service.ts';
import { ended, startChild } from './child-process.ts';
import { newSchema } from './new-schema.ts';
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts';
import { tempFiles } from './temp-files.ts';

vi.setConfig({ testTimeout: 60_000 });

const newPath = tempFiles();
const PROCESSES = 4;
const ROUNDS = 40;
/** Room for 50 increments of 7, and not for 51. */
const MAX = 356;

async function countTogether(
  where: readonly [kind: string, at: string, place: string],
): Promise<number> {
  const startAt = Date.now() + 1_500;
  const args = [...where, String(startAt), String(ROUNDS), String(MAX)];
  const passed = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const child = startChild('count-together.ts', args);
      let said = '';
      child.stdout?.on('data', (text: string) => {
        said += text;
      });
      expect(await ended(child)).toEqual({ code: 0, errors: '' });
      return Number(said);
    }),
  );
  return passed.reduce((sum, one) => sum + one, 0);
}

describe.each(['node:sqlite', 'libsql'] as const)('several processes on %s', (driver) => {
  test('every increment is counted once, and no more pass than there is room for', async () => {
    const path = newPath();
    expect(await countTogether([driver, path, ''])).toBe(50);
    const store = sqliteStore({ path, driver });
    expect(store.counters.read('all')).toBe(PROCESSES * ROUNDS);
    expect(store.counters.read('some')).toBe(350);
    await store.close?.();
  });
});

const OPEN = {
  postgres: (url: string, place: string, timeoutMs?: number) =>
    postgresStore({ url, schema: place, ...(timeoutMs !== undefined && { timeoutMs }) }),
  redis: (url: string, place: string, timeoutMs?: number) =>
    redisStore({ url, prefix: place, ...(timeoutMs !== undefined && { timeoutMs }) }),
};

for (const name of ['postgres', 'redis'] as const) {
  await onService(name, (url) => {
    let proxy: TcpProxy;
    const through = (): string => {
      const address = new URL(url);
      address.port = String(proxy.port);
      return address.href;
    };
    const newPlace = (): string => (name === 'redis' ? `c-${newSchema().slice(2)}` : newSchema());
    beforeAll(async () => {
      proxy = await tcpProxy(Number(new URL(url).port));
    });
    afterAll(() => proxy.close());

    test('several processes: every increment is counted once, and no more pass than there is room for', async () => {
      const place = newPlace();
      expect(await countTogether([name, url, place])).toBe(50);
      const store = OPEN[name](url, place);
      expect(await store.counters.read('all')).toBe(PROCESSES * ROUNDS);
      expect(await store.counters.read('some')).toBe(350);
      await store.close();
    });

    describe.each(['there', 'back'] as const)('a connection that is cut on the way %s', (way) => {
      const cuts = way === 'there' ? [1, 40, 100, 200, 300] : [1, 3, 5, 20, 60];
      test.each(cuts)('after %i bytes of an increment: it is counted once', async (bytes) => {
        const store = OPEN[name](through(), newPlace());
        const { counters } = store;
        expect(await counters.increment('money', { by: 1_000, expiresInMs: 60_000 })).toBe(1_000);
        proxy.cutAfter(bytes, way);
        expect(await counters.increment('money', { by: -250 })).toBe(750);
        expect(await counters.increment('money', { by: 100, max: 850 })).toBe(850);
        expect(await counters.read('money')).toBe(850);
        await store.close();
      });
    });

    test('a server that falls silent: a typed error in time, without the key, and never a number', async () => {
      const store = OPEN[name](through(), newPlace(), 700);
      const { counters } = store;
      // With its set-up done, which may take its time on a busy machine.
      for (let tries = 0; tries < 5; tries++) await store.open().catch(() => undefined);
      proxy.silence();
      const began = performance.now();
      const error = await Promise.resolve(counters.increment('tenant 4711', { by: 5 })).then(
        (value) => `it gave ${value}`,
        (thrown: unknown) => thrown,
      );
      proxy.heal();
      expect(error).toMatchObject({ code: 'store-timeout' });
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(inspect(error, { depth: 9 })).not.toContain('4711');
      // Counted or not, but not twice.
      expect([0, 5]).toContain(await counters.read('tenant 4711'));
      await store.close();
    });
  });
}
