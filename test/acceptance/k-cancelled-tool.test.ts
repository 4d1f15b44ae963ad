import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { scriptedModel, type ThreadStore } from '../../src/index.ts';
import { latch } from './latch.ts';
import {
  type Counted,
  counted,
  expectStatus,
  MODES,
  type Played,
  play,
  sleep,
  stores,
} from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'look' }] }, 'done', 'and more'];
const toolEnds = ({ heard }: Played) =>
  heard.filter(({ type }) => type === 'tool.succeeded' || type === 'tool.failed');

/** A tool that does not care about its signal, and knows when it really ended. */
function deaf(
  until: Promise<unknown>,
  onStart: () => void,
): Counted & { readonly ended: () => boolean } {
  let ended = false;
  const look = counted('look', {
    sideEffects: 'none',
    execute: async () => {
      onStart();
      await until;
      ended = true;
      return 'looked';
    },
  });
  return { ...look, ended: () => ended };
}

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('K01: a cancel does not wait for a tool that ignores it, and the call has one result for good', async () => {
      const abort = new AbortController();
      const { whenOpen, open: release } = latch();
      const look = deaf(whenOpen, () => setTimeout(() => abort.abort(), 5));
      const model = scriptedModel(script, { strict: true });
      const scene = { store: open(), model, tools: [look.tool] };
      const played = await play(mode, scene, { signal: abort.signal });
      expectStatus(played.result, 'cancelled');
      expect(look.ended()).toBe(false);
      const cancelled = { '1.1.0': { outcome: 'cancelled', output: 'Cancelled by user' } };
      expect(resultsIn(await played.store.readMessages('t'))).toEqual(cancelled);
      expectStatus(await played.agent.run({ threadId: 't', message: 'again' }), 'completed');
      release();
      await expect.poll(look.ended).toBe(true);
      await sleep(5);
      expect(resultsIn(await played.store.readMessages('t'))).toEqual(cancelled);
      expect(look.inputs).toHaveLength(1);
      await expectSound(played);
    });

    test('K13, K14: when the run resolves, the message, the call and its result are stored', async () => {
      const abort = new AbortController();
      const look = deaf(sleep(5), () => abort.abort());
      const scene = {
        store: slowCommits(open()),
        model: scriptedModel(script),
        tools: [look.tool],
      };
      const played = await play(mode, scene, { signal: abort.signal });
      expectStatus(played.result, 'cancelled');
      const stored = await played.store.readMessages('t');
      expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      expect(stored).toEqual(played.result.messages);
      expect((await played.store.readEvents('t')).at(-1)?.type).toBe('turn.finished');
      await expectSound(played);
    });
  });

  test('K01, without the cancel: the tool is waited for and its result read', async () => {
    const look = deaf(sleep(20), () => undefined);
    const model = scriptedModel(script, { strict: true });
    const played = await play(mode, { model, tools: [look.tool] });
    expectStatus(played.result, 'completed');
    expect(look.ended()).toBe(true);
    expect(JSON.stringify(model.requests[1])).toContain('looked');
  });

  test('K06: a tool that ignores its time limit is given up on, and the run goes on', async () => {
    const hang = counted('look', {
      sideEffects: 'none',
      timeoutMs: 20,
      execute: () => new Promise(() => undefined),
    });
    const model = scriptedModel(script, { strict: true });
    const played = await play(mode, { model, tools: [hang.tool] });
    expect(expectStatus(played.result, 'completed').text).toBe('done');
    expect(resultsIn(await played.store.readMessages('t'))).toEqual({
      '1.1.0': { outcome: 'failed', output: { error: 'Tool timed out. Do not claim success.' } },
    });
    expect(toolEnds(played)).toMatchObject([{ type: 'tool.failed', outcome: 'failed' }]);
    await expectSound(played);
  });

  test('K06: what must not run twice has an unknown outcome when it is given up on', async () => {
    const hang = counted('look', {
      sideEffects: 'once',
      timeoutMs: 10,
      execute: () => new Promise(() => undefined),
    });
    const scene = { model: scriptedModel(script), tools: [hang.tool], cancelGraceMs: 10 };
    const played = await play(mode, scene);
    expectStatus(played.result, 'completed');
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.outcome).toBe('unknown');
    await expectSound(played);
  });

  test('K06, with time enough: the same tool succeeds', async () => {
    const quick = counted('look', {
      sideEffects: 'none',
      timeoutMs: 1_000,
      execute: () => sleep(20),
    });
    const played = await play(mode, { model: scriptedModel(script), tools: [quick.tool] });
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.outcome).toBe('succeeded');
  });

  test('K12: the tool hears of the cancel once, and its call has one result and one end', async () => {
    const abort = new AbortController();
    let heard = 0;
    let listening = 0;
    const look = counted('look', {
      sideEffects: 'once',
      execute: (ctx) =>
        new Promise((resolve) => {
          ctx.signal.addEventListener('abort', () => {
            heard += 1;
            setTimeout(resolve, 5, 'stopped half way');
          });
          listening = getEventListeners(ctx.signal, 'abort').length;
          setTimeout(() => {
            abort.abort();
            void played.then(({ agent }) => agent.cancel('t'));
          }, 5);
        }),
    });
    const scene = { model: scriptedModel(script), tools: [look.tool] };
    const played = play(mode, scene, { signal: abort.signal });
    const ended = await played;
    expectStatus(ended.result, 'cancelled');
    expect([listening, heard]).toEqual([1, 1]);
    // It answered within its time of grace, so what it did is known.
    expect(resultsIn(await ended.store.readMessages('t'))).toEqual({
      '1.1.0': { outcome: 'succeeded', output: 'stopped half way' },
    });
    expect(toolEnds(ended)).toHaveLength(1);
    await expectSound(ended);
  });

  test('K12, without a cancel: the tool hears of none', async () => {
    let heard = 0;
    const look = counted('look', {
      execute: (ctx) => {
        ctx.signal.addEventListener('abort', () => {
          heard += 1;
        });
        return sleep(10);
      },
    });
    const played = await play(mode, { model: scriptedModel(script), tools: [look.tool] });
    expectStatus(played.result, 'completed');
    expect(heard).toBe(0);
  });
});

/** A store whose writes take a while, as those of a disk or a network do. */
function slowCommits(store: ThreadStore): ThreadStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'commit') return member.bind(target);
      return async (...args: Parameters<ThreadStore['commit']>) => {
        await sleep(4);
        return target.commit(...args);
      };
    },
  });
}
