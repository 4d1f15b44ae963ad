import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { CorruptRecordError } from '../../src/errors/store-error.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import {
  approval,
  artifact,
  changes,
  event,
  outcome,
  userMessage,
} from '../../src/testing/conformance/thread-store/samples.ts';
import { onService } from '../services/on-service.ts';
import { DAMAGED, expectDamagedNamed, fillThreads } from './damaged-page.ts';
import { postgresAdmin } from './postgres-admin.ts';
import { redisAdmin } from './redis-admin.ts';

vi.setConfig({ testTimeout: 60_000 });

const SECRET = 'sk-not-for-a-log';
const HALF = `{"role":"user","content":"${SECRET}`;

/** What is read of the damaged thread, by the kind of record. */
const READ: Readonly<Record<string, (store: ThreadStore) => unknown>> = {
  load: (store) => store.load('bad'),
  messages: (store) => store.readMessages('bad'),
  events: (store) => store.readEvents('bad'),
  ledger: (store) => store.readLedger('bad', ['c1']),
  approval: (store) => store.findApproval('a-bad'),
  artifact: (store) => store.readArtifact('bad', 'o1'),
};

const POSTGRES: readonly (readonly [sql: string, read: keyof typeof READ, named: string])[] = [
  [`messages SET json = '${HALF}' WHERE thread = 'bad' AND position = 2`, 'messages', 'position 2'],
  [`messages SET json = '' WHERE thread = 'bad'`, 'messages', 'it is no JSON'],
  [
    `messages SET json = '{"role":"user","content":[{"type":"hologram"}]}' WHERE thread = 'bad'`,
    'messages',
    'content.0',
  ],
  [`events SET json = '{"type":"turn.paused","seq":1}' WHERE thread = 'bad'`, 'events', 'type'],
  [`threads SET state = '[]' WHERE id = 'bad'`, 'load', 'state: it is no JSON object'],
  [`threads SET version = 9007199254740993 WHERE id = 'bad'`, 'load', 'version'],
  [`memory SET json = '{"n":1}"n":22}' WHERE thread = 'bad'`, 'load', "policy 'p'"],
  [`ledger SET status = 'perhaps' WHERE thread = 'bad'`, 'ledger', "call 'c1': status"],
  [`ledger SET result = '{"outcome":"x"}' WHERE thread = 'bad'`, 'ledger', "call 'c1': result"],
  [`approvals SET status = 'approved' WHERE thread = 'bad'`, 'approval', "id 'a-bad': status"],
  [`artifacts SET json = '{"artifactId":"o1"}' WHERE thread = 'bad'`, 'artifact', 'text'],
];

/** Commands on the keys of the damaged thread. */
const REDIS: readonly (readonly [
  command: readonly [name: string, kind: string, ...args: string[]],
  read: keyof typeof READ,
  named: string,
])[] = [
  [['LSET', 'messages', '1', HALF], 'messages', 'position 2'],
  [['LSET', 'messages', '0', ''], 'messages', 'it is no JSON'],
  [['RPOP', 'messages'], 'load', 'more or fewer'],
  [['SET', 'messages', SECRET], 'load', 'another type'],
  [['XADD', 'events', '9-0', 'json', '{"type":"turn.paused","seq":9}'], 'events', 'seq 9: type'],
  [['HSET', 'thread', 'state', '[]'], 'load', 'state: it is no JSON object'],
  [['HSET', 'thread', 'version', '1.5'], 'load', 'version'],
  [['HSET', 'memory', 'p', '{"n":1}"n":22}'], 'load', "policy 'p'"],
  [['HSET', 'ledger', 'c1', SECRET], 'ledger', "call 'c1'"],
  [['HSET', 'ledger', 'c1', 'finished\0digest\x000\x001\0{}'], 'ledger', "call 'c1': result"],
  [['HSET', 'approvals', 'a-bad', 'open\0{"approvalId":"other"}'], 'approval', "id 'a-bad'"],
  [['HSET', 'artifacts', 'o1', '{"artifactId":"o1"}'], 'artifact', 'text'],
];

async function expectNamed(store: ThreadStore, read: keyof typeof READ, named: string) {
  let error: unknown;
  try {
    await READ[read]?.(store);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(CorruptRecordError);
  expect(String(error)).toContain("thread 'bad'");
  expect(String(error)).toContain(named);
  expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
  // Others are not affected.
  expect(await store.load('good')).toMatchObject({ version: 1 });
  expect(await store.readMessages('good')).toHaveLength(2);
  // The version is in the list, which then names the thread as well.
  if (named !== 'version') expect(await store.listThreads()).toHaveLength(2);
}

async function fill(store: ThreadStore): Promise<void> {
  for (const id of ['bad', 'good']) {
    const { token } = await store.claim(id, { holder: 'a', ttlMs: 60_000 });
    await store.commit(
      id,
      token,
      0,
      changes({
        messages: [userMessage('one'), userMessage('two')],
        events: [event(id, 1)],
        ledger: [outcome('c1', 'done')],
        approvals: [approval(id, `a-${id}`)],
        memory: { p: { n: 1 } },
        artifacts: [artifact('o1', 'long')],
      }),
    );
  }
}

await onService('postgres', (url) => {
  const { schema, sql, empty } = postgresAdmin(url);
  test.each(POSTGRES)(
    'B46, B49: UPDATE %s is named, and other threads are read',
    async (...row) => {
      const [update, read, named] = row;
      const store = postgresStore({ url, schema });
      await store.open();
      await empty();
      await fill(store);
      expect(await sql(`UPDATE {schema}.${update} RETURNING 1`)).not.toHaveLength(0);
      await expectNamed(store, read, named);
      await store.close();
    },
  );
});

await onService('postgres', (url) => {
  const { schema, sql, empty } = postgresAdmin(url);
  test('B46, B49: lists name what is damaged and go on with the others', async () => {
    const store = postgresStore({ url, schema });
    await store.open();
    await empty();
    await fillThreads(store);
    const ids = DAMAGED.map((id) => `'${id}'`).join();
    await sql(`UPDATE {schema}.approvals SET json = '${HALF}' WHERE thread IN (${ids})`);
    await sql(`UPDATE {schema}.threads SET version = 9007199254740993 WHERE id IN (${ids})`);
    await expectDamagedNamed(store);
    await store.close();
  });
});

await onService('redis', (url) => {
  const { admin, newPrefix } = redisAdmin(url);
  test.each(REDIS)(
    'B46, B49: %j is named, and other threads are read',
    async (command, read, named) => {
      const prefix = newPrefix();
      const store = redisStore({ url, prefix });
      await fill(store);
      const [name, kind, ...args] = command;
      if (name === 'SET') await admin.del(`${prefix}:{bad}:${kind}`);
      await admin.call(name, [`${prefix}:{bad}:${kind}`, ...args]);
      await expectNamed(store, read, named);
      await store.close();
    },
  );

  test('B46, B49: lists name what is damaged and go on with the others', async () => {
    const prefix = newPrefix();
    const store = redisStore({ url, prefix });
    await fillThreads(store);
    for (const id of DAMAGED) {
      await admin.hset(`${prefix}:{${id}}:approvals`, `a-${id}`, `open\0${HALF}`);
      await admin.hset(`${prefix}:{${id}}:thread`, 'version', '1.5');
    }
    await expectDamagedNamed(store);
    await store.close();
  });

  test('a key of another type refuses a commit before anything of it is written', async () => {
    for (const kind of [
      'messages',
      'events',
      'ledger',
      'approvals',
      'open',
      'memory',
      'artifacts',
    ]) {
      const prefix = newPrefix();
      const store = redisStore({ url, prefix });
      await fill(store);
      await admin.set(`${prefix}:{bad}:${kind}`, SECRET);
      const before = await admin.hgetall(`${prefix}:{bad}:thread`);
      const more = changes({
        messages: [userMessage('three')],
        events: [event('bad', 2)],
        ledger: [outcome('c2', 'done')],
        approvals: [approval('bad', 'a-more')],
        memory: { p: { n: 2 } },
        artifacts: [artifact('o2', 'long')],
      });
      await expect(store.commit('bad', 1, 1, more)).rejects.toThrow(CorruptRecordError);
      expect(await admin.hgetall(`${prefix}:{bad}:thread`)).toEqual(before);
      if (kind !== 'messages') expect(await store.readMessages('bad')).toHaveLength(2);
      await store.close();
    }
  });
});
