import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createAgent, scriptedModel, type ThreadStore, tool } from '../../src/index.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import {
  approval,
  changes,
  event,
  outcome,
  userMessage,
} from '../../src/testing/conformance/thread-store/samples.ts';
import { freePort } from '../services/free-port.ts';
import { onService, type ServiceName } from '../services/on-service.ts';
import { newSchema } from './new-schema.ts';
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts';

// Every request may take its whole time here.
vi.setConfig({ testTimeout: 60_000 });

const SECRET = 'sk-not-for-a-log';

interface Where {
  readonly url: string;
  readonly timeoutMs?: number;
}

const OPEN: Readonly<Record<ServiceName, (where: Where) => ThreadStore>> = {
  postgres: (where) => postgresStore({ ...where, schema: newSchema() }),
  redis: (where) => redisStore({ ...where, prefix: `faults-${newSchema().slice(2)}` }),
};

const FULL = changes({
  state: { text: SECRET },
  messages: [userMessage('one'), userMessage('x'.repeat(20_000))],
  events: [event('t', 1)],
  ledger: [outcome('c1', 'done')],
  approvals: [approval('t', 'a1')],
  memory: { p: { n: 1 } },
});

for (const name of ['postgres', 'redis'] as const) {
  await onService(name, (url) => {
    let proxy: TcpProxy;
    const open = (more: Partial<Where> = {}) => {
      const through = new URL(url);
      through.port = String(proxy.port);
      return OPEN[name]({ url: through.href, ...more });
    };
    /** With its set-up done, which may take its time on a busy machine. */
    const opened = async (timeoutMs: number) => {
      const store = open({ timeoutMs });
      for (let tries = 0; (await failureOf(store.listThreads())) !== undefined; tries += 1) {
        if (tries > 5) throw new Error('the store cannot be opened');
      }
      return store;
    };
    beforeAll(async () => {
      proxy = await tcpProxy(Number(new URL(url).port));
    });
    afterAll(() => proxy.close());

    describe.each(['there', 'back'] as const)('a connection that is cut on the way %s', (way) => {
      const cuts = way === 'there' ? [1, 100, 5_000, 20_000, 21_000] : [1, 5, 20, 60];
      test.each(cuts)('after %i bytes of a commit: it is done, and done once', async (bytes) => {
        const store = open();
        const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
        proxy.cutAfter(bytes, way);
        await store.commit('t', token, 0, FULL);
        expect(await store.load('t')).toMatchObject({ version: 1, messageCount: 2, lastSeq: 1 });
        expect(await store.readMessages('t')).toEqual(FULL.messages);
        expect(await store.readEvents('t')).toEqual(FULL.events);
        expect(await store.pendingApprovals()).toEqual(FULL.approvals);
        await store.commit('t', token, 1, changes());
        await store.close?.();
      });

      test('of every other request: it is answered as if nothing had been', async () => {
        const store = open();
        const reads: Readonly<Record<string, () => unknown>> = {
          claim: () => store.claim('u', { holder: 'a', ttlMs: 1 }),
          load: () => store.load('t'),
          readMessages: () => store.readMessages('t'),
          readEvents: () => store.readEvents('t'),
          readLedger: () => store.readLedger('t', ['c1']),
          listThreads: () => store.listThreads(),
          pendingApprovals: () => store.pendingApprovals(),
          recordLate: () =>
            store.recordLate('t', 'c1', { outcome: 'succeeded', isError: false, output: '' }),
        };
        const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
        await store.commit('t', token, 0, FULL);
        for (const [method, read] of Object.entries(reads)) {
          const before = await read();
          proxy.cutAfter(way === 'there' ? 30 : 3, way);
          const after = await read();
          if (method !== 'claim') expect(after, method).toEqual(before);
        }
        await store.renew('t', token, 60_000);
        await store.close?.();
      });
    });

    test('a server that does not answer in time is told of, and what is stored is whole', async () => {
      const store = await opened(1_500);
      const { token } = await store.claim('t', { holder: 'a', ttlMs: 60_000 });
      await store.commit('t', token, 0, changes({ messages: [userMessage('one')] }));
      proxy.silence();
      const error = await failureOf(store.commit('t', token, 1, FULL));
      proxy.heal();
      expect(error).toMatchObject({ code: 'store-timeout', cause: expect.any(Error) });
      expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
      const version = (await store.load('t'))?.version;
      expect(await store.readMessages('t')).toHaveLength(version === 2 ? 3 : 1);
      expect(await failureOf(store.claim('t', { holder: 'b', ttlMs: 1 }))).toMatchObject({
        code: 'thread-busy',
      });
      await store.close?.();
    });

    test('a run on a server that goes silent ends failed, and the next one goes on', async () => {
      const store = await opened(1_500);
      let paid = 0;
      const pay = tool({
        name: 'pay',
        description: 'Pays',
        tier: 'auto',
        inputSchema: z.object({}),
        execute: () => {
          paid += 1;
          proxy.silence();
          return 'paid';
        },
      });
      const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'done', 'done']);
      const agent = createAgent({ name: 'desk', model, tools: [pay], store, leaseMs: 600 });
      const failed = await agent.run({ threadId: 't', message: 'pay' });
      proxy.heal();
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'store-timeout' } });
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(await agent.resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
      expect(paid).toBe(1);
      await store.close?.();
    });

    test('a server that is not there is told of without its address and password', async () => {
      const gone = new URL(url);
      gone.port = String(await freePort());
      gone.username = 'me';
      gone.password = SECRET;
      const store = OPEN[name]({ url: gone.href, timeoutMs: 200 });
      const error = await failureOf(store.load('t'));
      expect(error).toMatchObject({ code: 'store-unreachable', cause: expect.any(Error) });
      const told = inspect(error, { depth: 9 });
      for (const secret of [SECRET, gone.hostname, gone.port]) expect(told).not.toContain(secret);
      await store.close?.();
    });
  });
}

async function failureOf(attempt: PromiseLike<unknown> | unknown): Promise<unknown> {
  try {
    await attempt;
  } catch (error) {
    return error;
  }
  return undefined;
}
