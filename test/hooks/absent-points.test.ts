import { defineHooks } from 'agent-hooks';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Level } from '../../src/hooks/level.ts';
import { ResultChain } from '../../src/hooks/result-chain.ts';
import { ToolChain } from '../../src/hooks/tool-chain.ts';
import { VerdictChain } from '../../src/hooks/verdict-chain.ts';
import { WrappedToolCall } from '../../src/hooks/wrap-tool.ts';
import { countWork, WITH_TOOLS, type Work } from './count-work.ts';

const ASKED = [
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'onLlmResponse',
  'preToolUse',
  'postToolUse',
  'onOutgoingMessage',
] as const;
type Point = (typeof ASKED)[number];

/** How often `WITH_TOOLS` asks at each point. */
const QUESTIONS: { readonly [point in Point]: number } = {
  onTurnStart: 1,
  onUserMessage: 1,
  preLlmRequest: 2,
  onLlmResponse: 2,
  preToolUse: 2,
  postToolUse: 2,
  onOutgoingMessage: 2,
};

/** What one question needs besides, at most: its payload is frozen, and the loop waits where it always may. */
const NEEDS: { readonly [point in Point]: Pick<Work, 'promises' | 'freezes'> } = {
  onTurnStart: { promises: 0, freezes: 1 },
  onUserMessage: { promises: 0, freezes: 2 },
  preLlmRequest: { promises: 0, freezes: 0 },
  onLlmResponse: { promises: 0, freezes: 0 },
  preToolUse: { promises: 0, freezes: 2 },
  postToolUse: { promises: 0, freezes: 2 },
  onOutgoingMessage: { promises: 0, freezes: 1 },
};

const only = (point: Point, answer: () => unknown) => defineHooks({ name: 'p', [point]: answer });
const now = () => undefined;
const later = async () => undefined;

let nobody: Work;
beforeAll(async () => {
  // The first turn of a process makes what later ones share.
  await countWork([]);
  nobody = await countWork([]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a point nobody implements costs no promise, timer, clone, freeze or signal', () => {
  test('as nobody is even asked at it', async () => {
    const asked = [VerdictChain, ToolChain, ResultChain].map(({ prototype }) =>
      vi.spyOn<{ runThen(take: never): unknown }, 'runThen'>(prototype, 'runThen'),
    );
    const times = () => asked.map(({ mock }) => mock.calls.length);
    await countWork([]);
    expect(times()).toEqual([0, 0, 0]);
    await countWork([only('preToolUse', now)]);
    expect(times()).toEqual([0, 2, 0]);
    await countWork([only('postToolUse', now)]);
    expect(times()).toEqual([0, 2, 2]);
    await countWork([only('onLlmResponse', now)]);
    expect(times()).toEqual([2, 2, 2]);
  });

  test('as a policy at a point that does not come up adds nothing to a turn without any', async () => {
    const script = ['Nothing.'];
    const without = await countWork([], script);
    for (const point of ['preToolUse', 'postToolUse'] as const) {
      for (const answer of [now, later]) {
        expect(await countWork([only(point, answer)], script)).toEqual(without);
      }
    }
  });

  test('as nothing is put around a call that no policy is around', async () => {
    const reads = vi.spyOn(Level.prototype, 'next');
    const runs = vi.spyOn(WrappedToolCall.prototype, 'run');
    const times = () => [reads.mock.calls.length > 0, runs.mock.calls.length];
    await countWork([only('preToolUse', now)]);
    expect(times()).toEqual([false, 0]);
    await countWork([defineHooks({ name: 'p', wrapToolUse: async (call, next) => next(call) })]);
    expect(times()).toEqual([false, 2]);
    await countWork([defineHooks({ name: 'p', wrapLlmCall: (request, next) => next(request) })]);
    expect(times()).toEqual([true, 2]);
  });

  test('as a policy around tools adds nothing to a turn without any', async () => {
    const script = ['Nothing.'];
    const around = defineHooks({ name: 'p', wrapToolUse: async (call, next) => next(call) });
    expect(await countWork([around], script)).toEqual(await countWork([], script));
  });

  test('as a system prompt is built at once: one `info` for each request, and no more', async () => {
    const same = defineHooks({ name: 'p', systemPrompt: (prompt) => prompt });
    const counted = await countWork([same]);
    expect(counted).toEqual({ ...nobody, freezes: nobody.freezes + 2 });
  });

  test('as policies around calls share the one timer of the run, and make no signal', async () => {
    const around = defineHooks({
      name: 'p',
      wrapToolUse: async (call, next) => next(call),
      async *wrapLlmCall(request, next) {
        yield* next(request);
      },
    });
    expect(await countWork([around, { ...around, name: 'q' }])).toMatchObject({
      timers: nobody.timers + 1,
      clones: nobody.clones,
    });
  });

  test('as a turn without policies has the timer of its lease and the signal of its model only', () => {
    // The two outputs are copied as JSON, which is how they become data.
    expect(nobody).toMatchObject({ timers: 1, clones: 2, signals: 1 });
  });
});

describe('a policy at one point adds what that point needs, and nothing at the others', () => {
  test.each(ASKED)('%s, answered at once', async (point) => {
    const counted = await countWork([only(point, now)]);
    expect(counted).toMatchObject({ timers: 1, clones: 2, signals: 1 });
    const questions = QUESTIONS[point];
    const most = NEEDS[point];
    expect(counted.promises).toBeLessThanOrEqual(nobody.promises + questions * most.promises);
    expect(counted.freezes).toBeLessThanOrEqual(nobody.freezes + questions * most.freezes);
  });

  test.each(ASKED)('%s, answered later: one timer for the run', async (point) => {
    const counted = await countWork([only(point, later)]);
    expect(counted).toMatchObject({ timers: 2, clones: 2, signals: 1 });
    // One of them is the policy's own.
    expect(counted.promises).toBeLessThanOrEqual(nobody.promises + QUESTIONS[point] * 6);
  });

  test('all of them at once add what each adds alone', async () => {
    const all = defineHooks(Object.fromEntries([['name', 'p'], ...ASKED.map((at) => [at, now])]));
    const together = await countWork([all]);
    let promises = nobody.promises;
    for (const point of ASKED) {
      promises += (await countWork([only(point, now)])).promises - nobody.promises;
    }
    expect(together.promises).toBeLessThanOrEqual(promises);
    expect(together).toMatchObject({ timers: 1, clones: 2, signals: 1 });
  });
});

test('the counts see a promise, a timer, a clone, a freeze and a signal', async () => {
  const counted = await countWork([], WITH_TOOLS, () => {
    void Promise.resolve();
    clearTimeout(setTimeout(now, 1_000));
    structuredClone({});
    Object.freeze({});
    new AbortController();
  });
  const more = (kind: keyof Work) => counted[kind] - nobody[kind];
  const kinds = ['promises', 'timers', 'clones', 'freezes', 'signals'] as const;
  expect(kinds.map(more)).toEqual([1, 1, 1, 1, 1]);
});
