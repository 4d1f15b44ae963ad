import { describe, expect, test } from 'vitest';
import { CorruptRecordError } from '../../src/errors/store-error.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import {
  approval,
  changes,
  event,
  outcome,
  userMessage,
} from '../../src/testing/conformance/thread-store/samples.ts';
import { DAMAGED, expectDamagedNamed, fillThreads } from './damaged-page.ts';
import { DRIVERS, openConnection } from './open-connection.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();
const SECRET = 'sk-not-for-a-log';

interface Damage {
  readonly sql: string;
  readonly read: (store: ThreadStore) => unknown;
  readonly named: string;
}

const loadBad = (store: ThreadStore) => store.load('bad');
const messagesOfBad = (store: ThreadStore) => store.readMessages('bad');
const eventsOfBad = (store: ThreadStore) => store.readEvents('bad');
const ledgerOfBad = (store: ThreadStore) => store.readLedger('bad', ['c1']);
const findBad = (store: ThreadStore) => store.findApproval('a-bad');

const DAMAGES: Readonly<Record<string, Damage>> = {
  'half a message': {
    sql: `UPDATE messages SET json = '{"role":"user","content":"${SECRET}' WHERE thread = 'bad' AND position = 2`,
    read: messagesOfBad,
    named: "record of 'messages', thread 'bad', position 2: it is no JSON",
  },
  'an empty message': {
    sql: "UPDATE messages SET json = '' WHERE thread = 'bad' AND position = 1",
    read: messagesOfBad,
    named: "record of 'messages', thread 'bad', position 1: it is no JSON",
  },
  'a message that is null': {
    sql: "UPDATE messages SET json = 'null' WHERE thread = 'bad' AND position = 1",
    read: messagesOfBad,
    named: "record of 'messages', thread 'bad', position 1: it is no JSON object",
  },
  'a message with a part of no known type': {
    sql: `UPDATE messages SET json = '{"role":"user","content":[{"type":"hologram","text":"x"}]}' WHERE thread = 'bad' AND position = 1`,
    read: messagesOfBad,
    named: "record of 'messages', thread 'bad', position 1: content.0",
  },
  'a message of no known role': {
    sql: `UPDATE messages SET json = '{"role":"oracle","content":[]}' WHERE thread = 'bad' AND position = 1`,
    read: messagesOfBad,
    named: "record of 'messages', thread 'bad', position 1: role",
  },
  'an event of no known type': {
    sql: `UPDATE events SET json = '{"type":"turn.paused","seq":1}' WHERE thread = 'bad'`,
    read: eventsOfBad,
    named: "record of 'events', thread 'bad', seq 1: type",
  },
  'an event in the place of another': {
    sql: "UPDATE events SET seq = 9 WHERE thread = 'bad'",
    read: eventsOfBad,
    named: "record of 'events', thread 'bad', seq 9: seq",
  },
  'a state that is a list': {
    sql: "UPDATE threads SET state = '[]' WHERE id = 'bad'",
    read: loadBad,
    named: "record of 'threads', thread 'bad', state: it is no JSON object",
  },
  'memory with a stale tail': {
    sql: `UPDATE memory SET json = '{"n":1}"n":22}' WHERE thread = 'bad'`,
    read: loadBad,
    named: "record of 'memory', thread 'bad', policy 'p': it is no JSON",
  },
  'a ledger entry of no known status': {
    sql: "UPDATE ledger SET status = 'perhaps' WHERE thread = 'bad'",
    read: ledgerOfBad,
    named: "record of 'ledger', thread 'bad', call 'c1': status",
  },
  'a result without an output': {
    sql: `UPDATE ledger SET result = '{"outcome":"succeeded"}' WHERE thread = 'bad'`,
    read: ledgerOfBad,
    named: "record of 'ledger', thread 'bad', call 'c1': result",
  },
  'an approval that says it was approved in a row that is open': {
    sql: `UPDATE approvals SET json = replace(json, '"open"', '"approved"') WHERE thread = 'bad'`,
    read: findBad,
    named: "record of 'approvals', thread 'bad', id 'a-bad': status",
  },
  'an approval of another id': {
    sql: `UPDATE approvals SET json = replace(json, 'a-bad', 'a-other') WHERE thread = 'bad'`,
    read: findBad,
    named: "record of 'approvals', thread 'bad', id 'a-bad': approvalId",
  },
};

describe('a damaged sqlite store', () => {
  test.each(Object.entries(DAMAGES))(
    'B46, B49: %s is named, and other threads are not affected',
    async (_name, { sql, read, named }) => {
      const path = newPath();
      const store = sqliteStore({ path });
      for (const id of ['bad', 'good']) await fill(store, id);
      const connection = openConnection(path);
      connection.exec(sql);
      connection.close();
      const error = await failure(read, store);
      expect(error).toBeInstanceOf(CorruptRecordError);
      expect(String(error)).toContain(named);
      expect(`${error} ${(error as Error).cause}`).not.toContain(SECRET);
      await expectIntact(store, 'good');
      await store.close?.();
    },
  );
});

test.each(DRIVERS)(
  'B46, B49: lists name what is damaged and go on with the others: %s',
  async (driver) => {
    const path = newPath();
    const store = sqliteStore({ path, driver });
    await fillThreads(store);
    const connection = openConnection(path, driver);
    const ids = DAMAGED.map((id) => `'${id}'`).join();
    connection.exec(`UPDATE approvals SET json = '{"reason":"${SECRET}' WHERE thread IN (${ids})`);
    connection.exec(`UPDATE threads SET version = 9007199254740993 WHERE id IN (${ids})`);
    connection.close();
    await expectDamagedNamed(store);
    await store.close?.();
  },
);

async function fill(store: ThreadStore, id: string): Promise<void> {
  const { token } = await store.claim(id, { holder: 'a', ttlMs: 1_000 });
  const some = changes({
    messages: [userMessage('one'), userMessage('two')],
    events: [event(id, 1)],
    ledger: [outcome('c1', 'done')],
    approvals: [approval(id, `a-${id}`)],
    memory: { p: { n: 1 } },
  });
  await store.commit(id, token, 0, some);
}

async function expectIntact(store: ThreadStore, id: string): Promise<void> {
  expect(await store.load(id)).toMatchObject({ version: 1, memory: { p: { n: 1 } } });
  expect(await store.readMessages(id)).toEqual([userMessage('one'), userMessage('two')]);
  expect(await store.readEvents(id)).toEqual([event(id, 1)]);
  expect(await store.readLedger(id, ['c1'])).toEqual([outcome('c1', 'done')]);
  expect(await store.pendingApprovals({ threadId: id })).toEqual([approval(id, `a-${id}`)]);
  const { token } = await store.claim(id, { holder: 'a', ttlMs: 1_000 });
  await store.commit(id, token, 1, changes());
}

async function failure(read: Damage['read'], store: ThreadStore): Promise<unknown> {
  try {
    return await read(store);
  } catch (error) {
    return error;
  }
}
