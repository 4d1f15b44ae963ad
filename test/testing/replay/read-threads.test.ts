import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createAgent,
  defineHooks,
  exportThread,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  tool,
} from '../../../src/index.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';
import { readThreads } from '../../../src/testing/replay/read-threads.ts';
import { readTranscripts } from '../../../src/testing/replay/read-transcripts.ts';
import { replay } from '../../../src/testing/replay/replay.ts';
import { collect } from './transcripts.ts';

const folder = mkdtempSync(join(tmpdir(), 'export-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pay = tool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ amount: z.number() }),
  tier: 'auto',
  execute: ({ amount }) => (amount > 50 ? Promise.reject(new Error('no')) : 'paid'),
});

const ask = defineHooks({
  name: 'ask',
  preToolUse: ({ effectiveInput: { amount = 0 } }) =>
    Number(amount) > 90
      ? ToolDecision.block('too much')
      : ToolDecision.requiresConfirmation('Pay?'),
});

/** A thread as it comes to be: one call approved, one denied, one blocked, one that fails. */
async function recordThread(store: ThreadStore, threadId: string): Promise<void> {
  const turn = (amount: number) => [
    { toolCalls: [{ name: 'pay', input: { amount } }] },
    `Tried ${amount}.`,
  ];
  const model = scriptedModel([10, 20, 100, 60].flatMap(turn));
  const agent = createAgent({ name: 'a', model, store, tools: [pay], hooks: [ask] });
  for (const message of ['one', 'two', 'three', 'four']) {
    const result = await agent.run({ threadId, message });
    if (result.status !== 'awaiting-approval') continue;
    const answers = result.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: message !== 'two',
      by: 'ann',
    }));
    await agent.resume({ threadId, answers });
  }
}

describe.each<[name: string, open: () => ThreadStore]>([
  ['memoryStore', () => memoryStore()],
  ['sqliteStore', () => sqliteStore({ path: join(folder, 'threads.db') })],
])('a thread of a %s', (name, open) => {
  test('replays as it went, from the store and from its export', async () => {
    const store = open();
    await recordThread(store, 'thread-1');
    const lines = await collect(exportThread(store, 'thread-1'));
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, lines.join(''));
    for (const conversations of [readTranscripts(file), readThreads(store)]) {
      const [entry] = await collect(replay({ hooks: [ask], tools: [pay], conversations }));
      if (entry?.type !== 'replayed') throw new Error(entry?.problem);
      expect(entry).toMatchObject({ id: 'thread-1', turns: 4, problems: [], rewritten: false });
      // The same people said yes and no, and the same policy blocked: nothing has diverged.
      expect(entry.diverged).toBeUndefined();
      expect(entry.decisions.map(({ turn, decision }) => [turn, decision])).toEqual([
        [1, 'requires-confirmation'],
        [1, 'requires-confirmation'],
        [2, 'requires-confirmation'],
        [3, 'block'],
        [4, 'requires-confirmation'],
        [4, 'requires-confirmation'],
      ]);
    }
    await store.close?.();
  });
});

test('all threads of a store, a long one page by page', async () => {
  const store = memoryStore();
  const model = scriptedModel(Array.from({ length: 303 }, (_, at) => `Answer ${at}.`));
  const agent = createAgent({ name: 'a', model, store });
  for (let at = 0; at < 300; at += 1) await agent.run({ threadId: 'b', message: `Question ${at}` });
  for (const threadId of ['a', 'c']) await agent.run({ threadId, message: 'Hello' });
  const pages: number[] = [];
  const { readMessages } = store;
  store.readMessages = (threadId, options) => {
    pages.push(options?.limit ?? Number.POSITIVE_INFINITY);
    return readMessages.call(store, threadId, options);
  };
  const all = await collect(readThreads(store));
  expect(all.map((one) => [one.id, one.type === 'transcript' && one.messages.length])).toEqual([
    ['a', 2],
    ['b', 600],
    ['c', 2],
  ]);
  expect(pages).toEqual([2, 200, 200, 200, 2]);
});

test('a thread that is not there is broken where it is asked for', async () => {
  const store = memoryStore();
  const read = await collect(readThreads(store, { threadIds: ['none'] }));
  expect(read).toMatchObject([{ type: 'broken', id: 'none' }]);
});

describe('exported threads that are not whole', () => {
  test('a file that was cut off', async () => {
    const store = memoryStore();
    await recordThread(store, 't');
    const lines = await collect(exportThread(store, 't'));
    const file = join(folder, 'cut.jsonl');
    writeFileSync(file, lines.slice(0, 5).join(''));
    expect(await collect(readTranscripts(file))).toEqual([
      {
        ...{ type: 'broken', id: 't', source: { file, line: 1 } },
        problem: 'ends before its last line',
      },
    ]);
  });

  test.each<[name: string, change: (lines: string[]) => string[], problem: RegExp]>([
    ['a cut end', (lines) => lines.slice(0, -2), /ends before its last line/],
    ['a truncated line', (lines) => lines.with(2, '{"message":{\n'), /line 3 is no JSON/],
    ['a line that is missing', (lines) => lines.toSpliced(2, 1), /fewer lines/],
    ['no first line', (lines) => lines.slice(1), /has no first line/],
    [
      'another version',
      (lines) => lines.with(0, lines[0]?.replace('"version":1', '"version":2') ?? ''),
      /a version/,
    ],
    ['a stray line', (lines) => lines.toSpliced(2, 0, '{"other":{}}\n'), /line 3 is no line of/],
  ])('%s', async (_name, change, problem) => {
    const store = memoryStore();
    await recordThread(store, 't');
    const lines = await collect(exportThread(store, 't'));
    const file = join(folder, 'broken.jsonl');
    writeFileSync(file, [...change([...lines]), ...lines].join(''));
    const read = await collect(readTranscripts(file));
    expect(read.map(({ type }) => type)).toEqual(['broken', 'transcript']);
    expect(read[0]).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});
