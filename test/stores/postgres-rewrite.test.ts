import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { ThreadRewrite } from '../../src/stores/port.ts';
import { type PostgresPool, postgresStore } from '../../src/stores/postgres.ts';
import { changes, event, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { postgresAdmin } from './postgres-admin.ts';

const COUNT = 1_000;

const SAME: ThreadRewrite = {
  state: (state) => state,
  message: (message) => message,
  event: (each) => each,
  result: (result) => result,
  approval: (each) => each,
  artifact: (each) => each,
  memory: (memory) => memory,
};

/** A pool that counts what is asked of its server. */
function countingPool(url: string): {
  readonly pool: PostgresPool;
  readonly asked: string[];
  readonly end: () => Promise<void>;
} {
  const asked: string[] = [];
  const own = new Pool({ connectionString: url, max: 2 });
  own.on('connect', (client) => {
    const query = client.query.bind(client);
    const counted = (...args: Parameters<typeof query>): unknown => {
      asked.push(JSON.stringify(args[0]));
      return query(...args);
    };
    Object.assign(client, { query: counted });
  });
  // What is used of it is what the store asks for.
  return { pool: own as unknown as PostgresPool, asked, end: () => own.end() };
}

await onService('postgres', (url) => {
  const { schema, sql } = postgresAdmin(url);
  const { pool, asked, end } = countingPool(url);
  afterAll(end);

  async function longThread(threadId: string, timeoutMs: number) {
    const store = postgresStore({ pool, schema, timeoutMs });
    const { token } = await store.claim(threadId, { holder: 'test', ttlMs: 60_000 });
    const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
    const all = changes({
      messages: numbers.map((number) => userMessage(`${number}`)),
      events: numbers.map((number) => event(threadId, number)),
    });
    await store.commit(threadId, token, 0, all);
    asked.length = 0;
    return { store, token };
  }

  test('a rewrite asks the server per page of a long thread, and not per record', async () => {
    const { store, token } = await longThread('pages', 5_000);
    const marked: ThreadRewrite = {
      ...SAME,
      message: () => userMessage('x'),
      event: (each) => ({ ...each, at: 7 }),
    };
    await store.rewriteThread('pages', token, 1, marked);
    expect(asked.length).toBeLessThan(80);
    const messages = await store.readMessages('pages');
    expect(messages).toEqual(messages.map(() => userMessage('x')));
    expect(messages).toHaveLength(COUNT);
    const events = await store.readEvents('pages');
    expect(events.map(({ seq, at }) => [seq, at])).toEqual(
      messages.map((_message, index) => [index + 1, 7]),
    );
  });

  test('a rewrite has the time of a request for each of its statements, and not for all together', async () => {
    const timeoutMs = 500;
    const { store, token } = await longThread('slow', timeoutMs);
    const until = performance.now() + 3 * timeoutMs;
    // The first page takes nearly all of the time of one request, and so does each of the next.
    let isWaiting = 0;
    const message: ThreadRewrite['message'] = (each) => {
      isWaiting += 1;
      const pause =
        performance.now() + (isWaiting % 100 === 0 && performance.now() < until ? 300 : 0);
      while (performance.now() < pause);
      return each;
    };
    await store.rewriteThread('slow', token, 1, { ...SAME, message });
    expect(performance.now()).toBeGreaterThan(until - timeoutMs);
    expect((await store.load('slow'))?.version).toBe(2);
  });

  test('what a rewrite gives back as it was is not written again', async () => {
    const { store, token } = await longThread('same', 5_000);
    const places = () => sql("SELECT ctid::text FROM {schema}.messages WHERE thread = 'same'");
    const before = await places();
    await store.rewriteThread('same', token, 1, SAME);
    expect(await places()).toEqual(before);
  });
});
