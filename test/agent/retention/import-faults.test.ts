import {
  deleteThread,
  importThread,
  memoryStore,
  ThreadImportError,
  type ThreadStore,
} from 'agent-hooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { fullAgent, linesOf, MARK, makeFullThread } from './full-thread.ts';

let lines: readonly string[] = [];
beforeAll(async () => {
  const store = memoryStore({ digests: true });
  await makeFullThread(store);
  lines = await linesOf(store);
});

type Members = Record<string, unknown>;
type Fault = () => readonly unknown[];

/** Where the first line of a kind is, from 0. */
const at = (kind: string): number => lines.findIndex((line) => line.startsWith(`{"${kind}"`));
const put = (kind: string, line: unknown): readonly unknown[] =>
  lines.with(at(kind), line as string);
const without = (kind: string): readonly unknown[] => lines.toSpliced(at(kind), 1);
const twice = (kind: string): readonly unknown[] =>
  lines.toSpliced(at(kind), 0, lines[at(kind)] ?? '');

/** The lines with members of the first record of a kind put anew. */
function changed(kind: string, members: Members): readonly unknown[] {
  const record: Members = JSON.parse(lines[at(kind)] ?? '');
  return put(kind, JSON.stringify({ [kind]: { ...(record[kind] as Members), ...members } }));
}

const phase = (name: string) => ({ phase: { name, turn: { turnId: '1', step: 1 } } });
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const header = (members: Members) =>
  lines.with(0, JSON.stringify({ ...JSON.parse(lines[0] ?? ''), ...members }));

/** What is wrong, the kind whose line is named (or which one after or before the last), and what is said. */
const FAULTS: readonly (readonly [what: string, place: string | number, says: string, Fault])[] = [
  ['no line', 1, 'the end is missing', () => []],
  ['a cut after half a line', 'finished', 'it is no JSON', () => put('finished', '{"fini')],
  ['a cut after a line', 1, 'the end is missing', () => lines.slice(0, -2)],
  ['a cut between two threads', 1, 'the end is missing', () => lines.slice(0, at('end') + 1)],
  [
    'a thread that is left out',
    0,
    'another number',
    () => [...lines.slice(0, at('end') + 1), lines.at(-1)],
  ],
  ['a line after the end', 0, 'after the end', () => [...lines, lines[0]]],
  [
    'another format',
    'format',
    "its format is not 'agent-hooks.thread'",
    () => header({ format: 'x' }),
  ],
  ['no header', 'format', 'it is no header', () => lines.slice(1)],
  ['no version', 'format', 'its version is not 1', () => header({ version: '1' })],
  ['an id that no store keeps', 'format', 'threadId', () => header({ threadId: '\uD800' })],
  ['a list', 'message', 'it is no object', () => put('message', '[1]')],
  ['no JSON', 'message', 'it is no JSON', () => put('message', MARK)],
  ['bytes', 'message', 'it is no text', () => put('message', Buffer.from('{}'))],
  [
    'two records on a line',
    'message',
    'more than one',
    () => put('message', '{"message":1,"event":2}'),
  ],
  ['no record on a line', 'message', 'of a kind that is known', () => put('message', '{}')],
  ['an unknown kind', 'message', 'of a kind that is known', () => put('message', '{"thing":1}')],
  [
    'the name of a prototype',
    'message',
    'of a kind that is known',
    () => put('message', '{"__proto__":{"a":1}}'),
  ],
  [
    'the name of a method',
    'message',
    'of a kind that is known',
    () => put('message', '{"constructor":1}'),
  ],
  [
    'a line that nests for ever',
    'message',
    'it nests deeper',
    () => put('message', `{"message":${nested(100_000)}}`),
  ],
  ['a message of no role', 'message', 'message: role', () => changed('message', { role: MARK })],
  ['a message that is none', 'message', 'message: ', () => put('message', '{"message":7}')],
  ['a message that is lost', 'end', 'other numbers', () => without('message')],
  ['a message too many', 'end', 'other numbers', () => twice('message')],
  ['an unknown event', 'event', 'event: type', () => changed('event', { type: MARK })],
  [
    'an event of another thread',
    'event',
    'event: it belongs to another',
    () => changed('event', { threadId: MARK }),
  ],
  ['an event twice', 'event', '`seq` is not above', () => twice('event')],
  ['a ledger entry twice', 'ledger', 'ledger: it is there twice', () => twice('ledger')],
  [
    'an outcome without a result',
    'ledger',
    'ledger: has a result',
    () => changed('ledger', { result: undefined }),
  ],
  [
    'an unknown outcome',
    'ledger',
    'ledger: result.outcome',
    () => changed('ledger', { result: { outcome: MARK, isError: false, output: 1 } }),
  ],
  ['an approval twice', 'approval', 'approval: it is there twice', () => twice('approval')],
  [
    'an approval of another thread',
    'approval',
    'approval: it belongs',
    () => changed('approval', { threadId: 'x' }),
  ],
  [
    'an approval of no status',
    'approval',
    'approval: status',
    () => changed('approval', { status: MARK }),
  ],
  ['an approval with more', 'approval', 'approval: ', () => changed('approval', { granted: true })],
  ['an artifact of no text', 'artifact', 'artifact: text', () => changed('artifact', { text: 7 })],
  ['memory that is a list', 'memory', 'memory: value', () => changed('memory', { value: [] })],
  ['memory twice', 'memory', 'memory: it is there twice', () => twice('memory')],
  ['no state', 'end', 'other numbers', () => without('state')],
  ['two states', 'state', 'state: it is there twice', () => twice('state')],
  [
    'the state of another thread',
    'state',
    'state: it belongs',
    () => changed('state', { threadId: 'x' }),
  ],
  [
    'a state without a key',
    'state',
    'state: digestKey',
    () => changed('state', { digestKey: undefined }),
  ],
  ['a state in no phase', 'state', 'state: it is not one', () => changed('state', phase(MARK))],
  [
    'a state in the middle of a step',
    'state',
    "the phase 'requesting'",
    () => changed('state', phase('requesting')),
  ],
  [
    'the thread of a subagent alone',
    -2,
    'does not belong',
    () => [...lines.slice(at('end') + 1, -1), '{"finished":{"threads":1}}'],
  ],
];

describe('an import is refused, with its line and nothing written, for', () => {
  test.each(FAULTS)('%s', async (...[, place, says, fault]) => {
    const given = fault();
    const store = memoryStore();
    const error = await importThread(store, given as string[]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ThreadImportError);
    const { code, message, line } = error as ThreadImportError;
    expect(code).toBe('invalid-import');
    expect(message).toContain(`line ${line} of the import: `);
    expect(message).toContain(says);
    expect(message).not.toContain(MARK);
    // One line up or down where a record before it was left out or is there twice.
    if (typeof place === 'string') expect(Math.abs(line - at(place) - 1)).toBeLessThan(2);
    else expect(line).toBe(given.length + place);
    expect(await store.listThreads()).toEqual([]);
  });

  test('a newer version, by its number', async () => {
    const attempt = importThread(memoryStore(), header({ version: 2 }));
    await expect(attempt).rejects.toMatchObject({
      code: 'store-version',
      message: expect.stringContaining('has format 2'),
    });
  });

  test('a text, which is no list of lines', async () => {
    const attempt = importThread(memoryStore(), lines.join(''));
    await expect(attempt).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('an import is refused where the store has', () => {
  const refused = async (store: ThreadStore, given = lines) => {
    const before = await store.listThreads();
    await expect(importThread(store, given)).rejects.toMatchObject({ code: 'thread-exists' });
    expect(await store.listThreads()).toEqual(before);
  };

  test('the thread, until it is deleted', async () => {
    const store = memoryStore();
    await importThread(store, lines);
    await refused(store);
    await deleteThread(store, 't');
    await importThread(store, lines);
    expect(await linesOf(store)).toEqual(lines);
  });

  test('a thread of its subagents that an import has left behind', async () => {
    const store = memoryStore();
    await importThread(store, lines);
    const { token } = await store.claim('t', { holder: 'x', ttlMs: 1_000 });
    await store.deleteThread('t', token);
    await store.release('t', token);
    await refused(store);
    const lone = memoryStore();
    await fullAgent(lone, ['hello']).agent.run({ threadId: 't', message: 'hi' });
    await refused(store, await linesOf(lone));
    expect(await deleteThread(store, 't')).toBe(1);
    await importThread(store, lines);
  });

  test('one of its approvals', async () => {
    const store = memoryStore();
    await importThread(store, lines);
    const approvals = lines.flatMap((line) =>
      line.startsWith('{"approval"') ? [JSON.parse(line).approval] : [],
    );
    await deleteThread(store, 't');
    const { token } = await store.claim('other', { holder: 'x', ttlMs: 1_000 });
    const none = { state: {}, messages: [], events: [], ledger: [], memory: {}, artifacts: [] };
    await store.commit('other', token, 0, { ...none, approvals });
    await refused(store);
  });
});

test('values of tools may hold any key, and are data', async () => {
  const store = memoryStore();
  const line = (lines[at('ledger')] ?? '')
    .replace('"output":', '"output":{"__proto__":{"isAdmin":true},"was":')
    .replace(/\},"at"/, '}},"at"');
  await importThread(store, put('ledger', line) as string[]);
  const [entry] = await store.readLedger('t', ['1.1.0']);
  expect(Object.keys(entry?.result?.output ?? {})).toEqual(['__proto__', 'was']);
  expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
});

test('lines may come without their breaks, with a blank one at the end, and one after another', async () => {
  for (const given of [lines.map((line) => line.trimEnd()), lines.join('').split('\n'), later()]) {
    const store = memoryStore();
    await importThread(store, given);
    expect(await linesOf(store)).toEqual(lines);
  }
});

async function* later(): AsyncGenerator<string> {
  for (const line of lines) {
    await Promise.resolve();
    yield line;
  }
}
