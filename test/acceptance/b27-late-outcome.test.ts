import { describe, expect, test } from 'vitest';
import { type LedgerEntry, memoryStore, scriptedModel, type ThreadStore } from '../../src/index.ts';
import { latch } from './latch.ts';
import { counted, expectStatus, MODES, play, sleep, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'fine', 'and more'];

async function entry(store: ThreadStore): Promise<LedgerEntry | undefined> {
  return (await store.readLedger('t', ['1.1.0']))[0];
}

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test.each(['cancelled', 'timed out'] as const)(
      'B27: a tool that goes on after it was given up on (%s) has an unknown outcome, and is recorded once when it is done',
      async (why) => {
        const abort = new AbortController();
        const { whenOpen, open: release } = latch();
        const charge = counted('charge', {
          sideEffects: 'once',
          ...(why === 'timed out' && { timeoutMs: 5 }),
          execute: async () => {
            if (why === 'cancelled') setTimeout(() => abort.abort(), 5);
            await whenOpen;
            return 'charged after all';
          },
        });
        const model = scriptedModel(script, { strict: true });
        const scene = { store: open(), model, tools: [charge.tool], cancelGraceMs: 5 };
        const played = await play(mode, scene, { signal: abort.signal });
        expectStatus(played.result, why === 'cancelled' ? 'cancelled' : 'completed');
        const given = resultsIn(await played.store.readMessages('t'))['1.1.0'];
        expect(given?.outcome).toBe('unknown');
        expect(given?.output).toContain('Do not repeat it');
        expect(await entry(played.store)).toMatchObject({ status: 'intended' });
        release();
        await expect
          .poll(async () => (await entry(played.store))?.status, { interval: 5 })
          .toBe('finished');
        expect(await entry(played.store)).toMatchObject({
          late: true,
          result: { outcome: 'succeeded', output: 'charged after all' },
        });
        // What the model was told stays as it is, and nobody is told that the call failed.
        await played.agent.run({ threadId: 't', message: 'again' });
        expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual(given);
        expect(JSON.stringify(model.requests.at(-1))).toContain('Outcome unknown');
        expect(charge.inputs).toHaveLength(1);
        const again = { outcome: 'failed', isError: true, output: 'no' } as const;
        await played.store.recordLate('t', '1.1.0', again);
        expect(await entry(played.store)).toMatchObject({ result: { outcome: 'succeeded' } });
        await expectSound(played);
      },
    );
  });

  test('B27: one that the store does not take is told of as lost, under the id of the call', async () => {
    const { whenOpen, open: release } = latch();
    const charge = counted('charge', {
      sideEffects: 'once',
      timeoutMs: 5,
      execute: () => whenOpen,
    });
    const store: ThreadStore = memoryStore();
    store.recordLate = async () => {
      throw new TypeError('no');
    };
    const model = scriptedModel(script, { strict: true });
    const played = await play(mode, { store, model, tools: [charge.tool], cancelGraceMs: 5 });
    expectStatus(played.result, 'completed');
    release();
    const lost = { type: 'error.raised', code: 'outcome-not-recorded', name: 'TypeError' };
    await expect
      .poll(() => played.heard.at(-1), { interval: 5 })
      .toMatchObject({ ...lost, details: { callId: '1.1.0' } });
  });

  test('B27, without the cancel: the outcome is known, and not late', async () => {
    const charge = counted('charge', { sideEffects: 'once', execute: () => sleep(20) });
    const played = await play(mode, { model: scriptedModel(script), tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    const known = await entry(played.store);
    expect(known).toMatchObject({ status: 'finished', result: { outcome: 'succeeded' } });
    expect(known?.late).toBeUndefined();
  });
});
