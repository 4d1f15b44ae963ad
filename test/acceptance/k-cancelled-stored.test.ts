import { describe, expect, test } from 'vitest';
import { scriptedModel } from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { failingStore } from './failing-store.ts';
import { agentFor, counted, expectStatus, stores } from './play.ts';
import { expectPairs, expectSound, resultsIn } from './traces.ts';

const call = { toolCalls: [{ name: 'charge' }, { name: 'look' }] };

describe.each(stores())('%s store', (_name, open) => {
  function scene(store = open()) {
    const [charge, look] = [counted('charge'), counted('look', { sideEffects: 'none' })];
    const model = scriptedModel([call, 'done', 'and more'], { strict: true });
    return { store, model, tools: [charge.tool, look.tool], ran: [charge.inputs, look.inputs] };
  }

  test('K14: a cancel between two steps keeps what the first one did, and ends the turn once', async () => {
    const { ran, ...made } = scene();
    const first = agentFor('runStep', made);
    const stepped = await first.runStep({ threadId: 't', message: 'hello' });
    expectStatus(stepped, 'continues');
    const other = agentFor('run', made);
    const result = await other.cancel('t');
    expectStatus(result, 'cancelled');
    expect(ran).toMatchObject([{ length: 1 }, { length: 1 }]);
    const stored = await made.store.readMessages('t');
    expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    const events = await made.store.readEvents('t');
    expect(ofType(events, 'turn.finished')).toMatchObject([{ status: 'cancelled' }]);
    expectStatus(await other.run({ threadId: 't', message: 'again' }), 'completed');
    await expectSound({ agent: other, store: made.store, result, heard: [], streamed: [] });
  });

  test('K14: a cancel of a turn that an ended process left answers each call with what is known of it', async () => {
    // The commit of the results is lost, but not the outcome that was saved in time.
    const { ran, store: _plain, ...made } = scene();
    const store = failingStore(open(), (commit) => commit > 3);
    const left = await agentFor('run', { ...made, store }).run({ threadId: 't', message: 'hello' });
    expectStatus(left, 'failed');
    store.repair();
    const other = agentFor('run', { ...made, store });
    expectStatus(await other.cancel('t'), 'cancelled');
    expect(ran).toMatchObject([{ length: 1 }, { length: 1 }]);
    expect(resultsIn(await store.readMessages('t'))).toEqual({
      '1.1.0': { outcome: 'succeeded', output: 'charge done' },
      '1.1.1': { outcome: 'cancelled', output: 'Cancelled by user' },
    });
    const events = await store.readEvents('t');
    expect(ofType(events, 'turn.finished')).toMatchObject([{ status: 'cancelled' }]);
    expectPairs(events);
    expectStatus(await other.run({ threadId: 't', message: 'again' }), 'completed');
  });

  test('K14, without the cancel: another process goes on with both', async () => {
    const { ran, store: _plain, ...made } = scene();
    const store = failingStore(open(), (commit) => commit > 3);
    await agentFor('run', { ...made, store }).run({ threadId: 't', message: 'hello' });
    store.repair();
    const resumed = await agentFor('run', { ...made, store }).resume({ threadId: 't' });
    expect(expectStatus(resumed, 'completed').text).toBe('done');
    expect(ran).toMatchObject([{ length: 1 }, { length: 2 }]);
  });
});
