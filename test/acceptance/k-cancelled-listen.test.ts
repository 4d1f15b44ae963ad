import { describe, expect, test } from 'vitest';
import { type OperationUpdate, scriptedModel } from '../../src/index.ts';
import { Bank, callTransfer, updates } from './bank.ts';
import { latch } from './latch.ts';
import { expectStatus, MODES, type Played, play, sleep } from './play.ts';
import { resultsIn } from './traces.ts';

const model = () => scriptedModel([{ toolCalls: [callTransfer()] }, 'done', 'and more']);
const progress: OperationUpdate = { type: 'progress', operationId: 'o', revision: 1 };

/** One update, and then nothing for ever; it does not care about its signal. */
async function* deafAfter(onUpdate: () => void): AsyncGenerator<OperationUpdate> {
  yield progress;
  onUpdate();
  await new Promise(() => undefined);
}

const results = async ({ store }: Played) => resultsIn(await store.readMessages('t'));
const CANCELLED = { '1.1.0': { outcome: 'cancelled', output: 'Cancelled by user' } };

describe.each(MODES)('%s', (mode) => {
  test('K04: a cancel does not wait for a preparation, whose operation is cancelled', async () => {
    const bank = new Bank();
    const abort = new AbortController();
    const listen = () => deafAfter(() => abort.abort());
    const tools = [bank.tool({ tier: 'auto', listen })];
    const played = await play(mode, { model: model(), tools }, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    const output = expect.stringMatching(/^Cancelled by user/);
    expect(await results(played)).toEqual({ '1.1.0': { outcome: 'cancelled', output } });
    expect(bank).toMatchObject({ log: [], cancelled: [{ operationId: 'o', reason: 'dropped' }] });
    expectStatus(await played.agent.run({ threadId: 't', message: 'again' }), 'completed');
    expect(await results(played)).toEqual({ '1.1.0': { outcome: 'cancelled', output } });
  });

  test('K05: a cancel does not wait for an operation that is carried out', async () => {
    const bank = new Bank();
    const abort = new AbortController();
    const { whenOpen, open } = latch();
    const onExecute = () => {
      setTimeout(() => abort.abort(), 5);
      return whenOpen;
    };
    const tools = [bank.tool({ tier: 'auto', sideEffects: 'idempotent', onExecute })];
    const played = await play(mode, { model: model(), tools }, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    expect(await results(played)).toEqual(CANCELLED);
    expect(bank.cancelled).toEqual([]);
    open();
    await sleep(5);
    expect(await results(played)).toEqual(CANCELLED);
  });

  test('K05: one that must not run twice is of unknown outcome then, and is not taken back', async () => {
    const bank = new Bank();
    const abort = new AbortController();
    const onExecute = () => {
      setTimeout(() => abort.abort(), 5);
      return new Promise(() => undefined);
    };
    const tools = [bank.tool({ tier: 'auto', onExecute })];
    const scene = { model: model(), tools, cancelGraceMs: 5 };
    const played = await play(mode, scene, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    expect(await results(played)).toMatchObject({ '1.1.0': { outcome: 'unknown' } });
    expect(bank.cancelled).toEqual([]);
  });

  test('a preparation that hangs fails its call only, within its time', async () => {
    const bank = new Bank();
    const listen = () => deafAfter(() => undefined);
    const tools = [bank.tool({ tier: 'auto', prepareTimeoutMs: 10, listen })];
    const played = await play(mode, { model: model(), tools });
    expectStatus(played.result, 'completed');
    const error = expect.stringContaining('took too long');
    expect(await results(played)).toMatchObject({ '1.1.0': { output: { error } } });
    expect(bank.cancelled).toEqual([{ operationId: 'o', reason: 'failed' }]);
  });

  test('a tool that cannot cancel is told of, and the turn goes on', async () => {
    const bank = new Bank();
    const onCancel = () => {
      throw new RangeError('secret');
    };
    const listen = () => updates(progress);
    const tools = [bank.tool({ tier: 'auto', listen, onCancel })];
    const played = await play(mode, { model: model(), tools });
    expectStatus(played.result, 'completed');
    const raised = played.heard.filter(({ type }) => type === 'error.raised');
    expect(raised).toMatchObject([{ code: 'operation-not-cancelled', name: 'RangeError' }]);
    expect(JSON.stringify(played.heard)).not.toContain('secret');
  });
});
