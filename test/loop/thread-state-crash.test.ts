import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { defineHooks, memoryStore, type ThreadStore, ToolDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { answersTo } from '../acceptance/approve.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { dyingStore, watched } from './desk.ts';
import { calling, changes, type State, stateDesk, stateTool } from './state-desk.ts';

/** A disk on which the claim of an ended process has run out when the next one comes. */
function disk(): { readonly store: ThreadStore; readonly pass: () => void } {
  let now = 1_000;
  return {
    store: memoryStore({ now: () => now }),
    pass: () => {
      now += 60_000;
    },
  };
}

describe('a process that ends between any two commits', () => {
  const bump = (name: string, sideEffects: 'once' | 'idempotent') =>
    stateTool(name, ({ state }) => state.set('visits', state.get('visits') + 1), { sideEffects });
  const tools = [bump('one', 'once'), bump('two', 'once'), bump('three', 'idempotent')];

  for (const commits of [0, 1, 2, 3, 4, 5]) {
    test(`after ${commits} of them: what is stored is what the calls that count wrote, each once`, async () => {
      const { store, pass } = disk();
      const script = Array.from({ length: 5 }, () => calling('one', 'two', 'three'));
      const first = stateDesk({ script, tools, store: dyingStore(store, commits) });
      const start = { threadId: 't', message: 'go', state: { day: 'monday' } };
      await first.agent.run(start).catch((error: unknown) => error);
      pass();
      const second = stateDesk({ script, tools, store });
      const result =
        commits === 0
          ? await second.agent.run(start)
          : await second.agent.resume({ threadId: 't' });
      expect(result.status).toBe('completed');
      // A call whose outcome nobody knows wrote nothing that is known: its one is missing, and the model is told.
      const unknown = JSON.stringify(result.messages).split('Outcome unknown').length - 1;
      expect(result.state).toMatchObject({ day: 'monday', visits: 3 - unknown });
      expect(unknown).toBeLessThanOrEqual(1);
      const events = await store.readEvents('t');
      expect(changes(events)[0]).toEqual(['day']);
      expect(new Set(changes(events).flat())).toEqual(new Set(['day', 'visits']));
    });
  }

  test('what a call that runs again wrote is not stored before its batch is over', async () => {
    const { store } = disk();
    const stored: unknown[] = [];
    const watching = watched(store, ({ state }) => stored.push(state['values']));
    const again = stateTool('again', ({ state }) => state.set('day', 'monday'));
    const { agent } = stateDesk({
      script: Array.from({ length: 2 }, () => calling('again', 'one', 'two')),
      tools: [...tools, again],
      store: watching,
    });
    await agent.run({ threadId: 't', message: 'go' });
    // The commits of the message, the intents, each call that must not run twice, the batch and the end.
    const all = { day: 'monday', visits: 2 };
    expect(stored).toEqual([undefined, undefined, { visits: 1 }, { visits: 2 }, all, all]);
  });
});

test('a message that finds tools to settle: what they set is the older, what it brings the newer', async () => {
  const { store, pass } = disk();
  const seen: unknown[] = [];
  const put = stateTool('put', ({ state }) => {
    seen.push(state.get('day'));
    state.set('day', 'monday');
    state.set('visits', 1);
  });
  const first = stateDesk({ script: [calling('put')], tools: [put], store: dyingStore(store, 2) });
  await first.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
  pass();
  const reads = defineHooks<unknown, State>({
    name: 'reads',
    onTurnStart: (_turn, { state }) => void seen.push(state.day),
  });
  const second = stateDesk({ script: ['hello'], tools: [put], hooks: [reads], store });
  const result = await second.agent.run({
    threadId: 't',
    message: 'more',
    state: { day: 'friday' },
  });
  expect(seen).toEqual([undefined, undefined, 'friday']);
  expect(result).toMatchObject({ status: 'completed', state: { day: 'friday', visits: 1 } });
  expect(changes(await store.readEvents('t'))).toEqual([['day', 'visits'], ['day']]);
});

describe('another process', () => {
  const ask = defineHooks({
    name: 'ask',
    preToolUse: () => ToolDecision.requiresConfirmation('book it?'),
  });
  const book = stateTool('book', ({ state }) => {
    const before = state.get('day') ?? 'none';
    state.set('day', 'tuesday');
    return before;
  });
  const script = [calling('book')];

  test('that answers an approval reads what the first one set, and sets more', async () => {
    const path = tempFiles()();
    const before = sqliteStore({ path });
    const first = stateDesk({ script, tools: [book], hooks: [ask], store: before });
    const paused = await first.agent.run({
      threadId: 't',
      message: 'go',
      state: { day: 'monday' },
    });
    expect(paused).toMatchObject({ status: 'awaiting-approval', state: { day: 'monday' } });
    await before.close?.();
    const store = sqliteStore({ path });
    const second = stateDesk({ script, tools: [book], hooks: [ask], store });
    const result = await second.agent.resume({ threadId: 't', answers: answersTo(paused, true) });
    expect(JSON.stringify(result.messages)).toContain('"monday"');
    expect(result).toMatchObject({ status: 'completed', state: { day: 'tuesday' } });
    await store.close?.();
  });

  test('goes on where one was killed, in the middle of a tool', async () => {
    const path = tempFiles()();
    const file = join(import.meta.dirname, '..', 'acceptance', 'processes', 'hang-after-set.ts');
    const child = spawn(process.execPath, ['--conditions=agent-hooks-source', file, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = sqliteStore({ path, now: () => Date.now() + 60_000 });
    const { agent } = stateDesk({ script, tools: [book], store });
    const result = await agent.resume({ threadId: 't' });
    expect(JSON.stringify(result.messages)).toContain('"monday"');
    expect(result).toMatchObject({ status: 'completed', state: { day: 'tuesday', visits: 0 } });
    await store.close?.();
  }, 30_000);
});

describe('a commit that is refused', () => {
  test('stores nothing of the state, and the result says what is stored', async () => {
    const { store } = disk();
    const put = stateTool('put', ({ state }) => state.set('day', 'tuesday'));
    const script = [calling('put')];
    const first = stateDesk({ script: ['hello'], store });
    await first.agent.run({ threadId: 't', message: 'go', state: { day: 'monday' } });
    const { agent } = stateDesk({ script, tools: [put], store: failingCommit(store, 2) });
    const result = await agent.run({ threadId: 't', message: 'go', state: { visits: 2 } });
    expect(result).toMatchObject({ status: 'failed', state: { day: 'monday', visits: 2 } });
    expect((await store.load('t'))?.state['values']).toEqual({ day: 'monday', visits: 2 });
  });

  test('the first one leaves the values of the run unset', async () => {
    const { store } = disk();
    const { agent } = stateDesk({ script: ['hello'], store: failingCommit(store, 0) });
    const result = await agent.run({ threadId: 't', message: 'go', state: { visits: 2 } });
    expect(result).toMatchObject({ status: 'failed', state: { visits: 0 } });
  });
});

/** A store that takes so many commits and refuses the others, and does all else. */
function failingCommit(store: ThreadStore, commits: number): ThreadStore {
  let left = commits;
  return watched(store, () => {
    left -= 1;
    if (left < 0) throw new Error('no room');
  });
}
