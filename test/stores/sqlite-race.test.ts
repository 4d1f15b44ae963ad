import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ThreadBusyError, ThreadConflictError } from '../../src/errors/store-error.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { changes, event, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();

/** One run on its own handle, with what it believes of the thread. */
interface Runner {
  readonly store: ThreadStore;
  readonly holder: string;
  token: number;
  version: number;
  readonly wrote: string[];
}

type Move = 'claim' | 'load' | 'commit' | 'release' | 'renew' | 'wait';
const move = fc.record({
  runner: fc.nat({ max: 2 }),
  move: fc.constantFrom<Move>('claim', 'load', 'commit', 'commit', 'release', 'renew', 'wait'),
});

describe('three handles on one thread', () => {
  test('B47: whatever they do in whatever order, no commit is lost, doubled or mixed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), async (moves) => {
        let time = 1_000;
        const path = newPath();
        const runners = [0, 1, 2].map((index): Runner => {
          const store = sqliteStore({ path, now: () => time });
          return { store, holder: `runner ${index}`, token: -1, version: 0, wrote: [] };
        });
        const order: string[] = [];
        for (const { runner, move: what } of moves) {
          if (what === 'wait') time += 60;
          else await act(runners[runner] as Runner, what, order);
        }
        for (const { store } of runners) await expectExactly(store, order);
        for (const { store } of runners) await store.close?.();
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

async function act(runner: Runner, what: Exclude<Move, 'wait'>, order: string[]): Promise<void> {
  const { store, holder } = runner;
  try {
    switch (what) {
      case 'claim':
        runner.token = (await store.claim('t', { holder, ttlMs: 100 })).token;
        break;
      case 'load':
        runner.version = (await store.load('t'))?.version ?? 0;
        break;
      case 'commit': {
        const text = `${holder} at ${runner.version}`;
        const some = changes({
          state: { text },
          messages: [userMessage(text)],
          events: [event('t', runner.version + 1)],
        });
        await store.commit('t', runner.token, runner.version, some);
        runner.version += 1;
        order.push(text);
        break;
      }
      case 'release':
        await store.release('t', runner.token);
        break;
      case 'renew':
        await store.renew('t', runner.token, 100);
        break;
    }
  } catch (error) {
    const isExpected = error instanceof ThreadBusyError || error instanceof ThreadConflictError;
    if (!isExpected) throw error;
  }
}

async function expectExactly(store: ThreadStore, order: readonly string[]): Promise<void> {
  expect(await store.readMessages('t')).toEqual(order.map(userMessage));
  const events = await store.readEvents('t');
  expect(events.map(({ seq }) => seq)).toEqual(order.map((_text, index) => index + 1));
  const thread = await store.load('t');
  expect(thread?.version ?? 0).toBe(order.length);
  expect(thread?.state).toEqual(order.length === 0 ? undefined : { text: order.at(-1) });
}
