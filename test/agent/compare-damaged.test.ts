import {
  type CorruptRecordError,
  compareShadows,
  createAgent,
  defineHooks,
  MessageDecision,
  scriptedModel,
  shadow,
  shadowComparisons,
  type ThreadStore,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { readThreads } from '../../src/testing/replay/read-threads.ts';
import { replay } from '../../src/testing/replay/replay.ts';
import { openConnection } from '../stores/open-connection.ts';
import { tempFiles } from '../stores/temp-files.ts';

const newPath = tempFiles();
const SECRET = 'sk-not-for-a-log';

const trial = defineHooks({
  name: 'trial',
  onUserMessage: ({ text }) => (text === 'two' ? MessageDecision.block('two') : undefined),
});

/** Four threads of three turns, of which `sql` then damages something. */
async function damagedStore(sql: string): Promise<ThreadStore> {
  const path = newPath();
  const store = sqliteStore({ path });
  const model = scriptedModel(Array.from({ length: 12 }, () => 'ok'));
  const agent = createAgent({ name: 'desk', model, hooks: [shadow(trial)], store });
  for (const threadId of ['a', 'b', 'c', 'd'])
    for (const message of ['one', 'two', 'three']) await agent.run({ threadId, message });
  const connection = openConnection(path);
  connection.exec(sql);
  connection.close();
  return store;
}

const LAST_OF_TURN_TWO = `SELECT max(seq) FROM events WHERE thread = 'b' AND json LIKE '%"turnId":"2"%'`;
const DAMAGED_EVENT = `UPDATE events SET json = '{"secret":"${SECRET}' WHERE thread = 'b' AND seq = (${LAST_OF_TURN_TWO})`;
const DAMAGED_THREAD = `UPDATE threads SET version = 9007199254740993 WHERE id = 'b'`;
const DAMAGED_MESSAGE = `UPDATE messages SET json = '{"secret":"${SECRET}' WHERE thread = 'b' AND position = 3`;

describe('B49: one damaged thread does not keep the others from being compared', () => {
  test.each([1, 3, 200])('in pages of %i', async (pageSize) => {
    const store = await damagedStore(DAMAGED_EVENT);
    const errors: CorruptRecordError[] = [];
    const onDamaged = (error: CorruptRecordError) => void errors.push(error);
    const report = await compareShadows(store, { pageSize, onDamaged });
    expect(errors).toMatchObject([{ code: 'corrupt-record', threadId: 'b' }]);
    expect(report.differences.map(({ threadId, turnId }) => `${threadId}${turnId}`)).toEqual([
      'a2',
      'c2',
      'd2',
    ]);
    // Of the damaged one, the turn before.
    expect(report).toMatchObject({ threads: 4, damaged: 1, rows: [{ asked: 10, differences: 3 }] });
    expect(report.text).toMatch(/left out, as they could not be read: 1 records$/);
    expect(JSON.stringify([report, String(errors)])).not.toContain(SECRET);
    await store.close?.();
  });

  test('nor where the list of threads meets it', async () => {
    const store = await damagedStore(DAMAGED_THREAD);
    const named: string[] = [];
    const onDamaged = ({ threadId }: CorruptRecordError) => void named.push(threadId);
    expect(await compareShadows(store, { onDamaged })).toMatchObject({ threads: 3, damaged: 1 });
    const seen = new Set<string>();
    for await (const { threadId } of shadowComparisons(store, { onDamaged })) seen.add(threadId);
    expect([[...seen], named]).toEqual([
      ['a', 'c', 'd'],
      ['b', 'b'],
    ]);
    await store.close?.();
  });

  test('where nobody is told, the first one is thrown', async () => {
    for (const sql of [DAMAGED_EVENT, DAMAGED_THREAD]) {
      const store = await damagedStore(sql);
      await expect(compareShadows(store)).rejects.toMatchObject({ code: 'corrupt-record' });
      await store.close?.();
    }
  });

  test('a store that fails is no damaged record', async () => {
    const store = await damagedStore('SELECT 1');
    await store.close?.();
    const onDamaged = () => expect.unreachable();
    await expect(compareShadows(store, { onDamaged })).rejects.toMatchObject({
      code: 'store-closed',
    });
  });

  test('what is no function is refused before anything is read', async () => {
    const store = await damagedStore('SELECT 1');
    for (const read of [
      () => compareShadows(store, { onDamaged: true as never }),
      () => shadowComparisons(store, { onDamaged: true as never }).next(),
      () => readThreads(store, { onDamaged: true as never }).next(),
    ])
      await expect(read()).rejects.toThrow(/`onDamaged`.* is no function/);
    await store.close?.();
  });
});

describe('B49: one damaged thread does not keep the others from being replayed', () => {
  test.each([
    ['a message', DAMAGED_MESSAGE],
    ['an event', DAMAGED_EVENT],
    ['its version', DAMAGED_THREAD],
  ])('%s', async (_what, sql) => {
    const store = await damagedStore(sql);
    const named: string[] = [];
    const onDamaged = ({ threadId }: CorruptRecordError) => void named.push(threadId);
    const run = replay({ hooks: [trial], conversations: readThreads(store, { onDamaged }) });
    const entries: (string | undefined)[] = [];
    for await (const entry of run) {
      entries.push(`${entry.type} ${entry.id}`);
      if (entry.type !== 'broken') continue;
      expect(entry).toMatchObject({
        source: { file: 'store' },
        problem: expect.stringContaining(`thread 'b'`),
      });
      expect(JSON.stringify(entry)).not.toContain(SECRET);
    }
    expect([...entries].sort()).toEqual(['broken b', 'replayed a', 'replayed c', 'replayed d']);
    expect(await run.report()).toMatchObject({ conversations: 4, broken: 1 });
    expect(named).toEqual(['b']);
    await store.close?.();
  });
});
