import { describe, expect, test } from 'vitest';
import { scriptedModel, ThreadBusyError } from '../../src/index.ts';
import { transcript } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, play, sleep, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const call = { toolCalls: [{ name: 'look' }] };

function hanging(onStart: () => void) {
  return counted('look', {
    sideEffects: 'none',
    execute: () => {
      onStart();
      return new Promise(() => undefined);
    },
  });
}

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('K08: a second cancel, at once or later, changes nothing', async () => {
      const abort = new AbortController();
      const store = open();
      const look = hanging(() => {
        abort.abort();
        abort.abort(new Error('again'));
      });
      const scene = { store, model: scriptedModel([call, 'done']), tools: [look.tool] };
      const played = await play(mode, scene, { signal: abort.signal });
      expectStatus(played.result, 'cancelled');
      const before = [await store.load('t'), await store.readEvents('t')];
      for (const agent of [played.agent, agentFor('run', scene)]) {
        expectStatus(await agent.cancel('t'), 'cancelled');
        expectStatus(await agent.cancel('t'), 'cancelled');
      }
      expect([await store.load('t'), await store.readEvents('t')]).toEqual(before);
      expect(played.heard.filter(({ type }) => type === 'turn.finished')).toHaveLength(1);
      expect(Object.values(resultsIn(await store.readMessages('t')))).toHaveLength(1);
      await expectSound(played);
    });

    test('K10: what comes after a cancel is answered in its order, on a whole history', async () => {
      const abort = new AbortController();
      const look = hanging(() => abort.abort());
      const model = scriptedModel([call, 'first', 'second'], { strict: true });
      const scene = { store: open(), model, tools: [look.tool] };
      const played = await play(mode, scene, { signal: abort.signal });
      expectStatus(played.result, 'cancelled');
      for (const message of ['one', 'two']) {
        expectStatus(await played.agent.run({ threadId: 't', message }), 'completed');
      }
      expect(transcript(await played.store.readMessages('t'))).toEqual([
        'user: hello',
        'assistant: ',
        'tool: ',
        'user: one',
        'assistant: first',
        'user: two',
        'assistant: second',
      ]);
      expect(model.requests[2]?.messages.map(({ role }) => role).join()).toBe(
        'user,assistant,tool,user,assistant,user',
      );
      await expectSound(played);
    });
  });

  test('K18: a message that comes while an answer is under way is refused, and taken after the cancel', async () => {
    const refused: unknown[] = [];
    const abort = new AbortController();
    const look = counted('look', {
      sideEffects: 'none',
      execute: async () => {
        await other.run({ threadId: 't', message: 'too early' }).catch((error) => {
          refused.push(error);
        });
        abort.abort();
        return new Promise(() => undefined);
      },
    });
    const model = scriptedModel([call, 'queued', 'later'], { strict: true });
    const [store] = stores().map(([, open]) => open());
    const scene = { model, tools: [look.tool], ...(store && { store }) };
    const other = agentFor('run', scene);
    const played = await play(mode, scene, { signal: abort.signal });
    expect(refused).toEqual([expect.any(ThreadBusyError)]);
    expectStatus(played.result, 'cancelled');
    const texts = [];
    for (const message of ['too early', 'follow up']) {
      const result = await other.run({ threadId: 't', message });
      texts.push(expectStatus(result, 'completed').text);
    }
    expect(texts).toEqual(['queued', 'later']);
    const said = transcript(await played.store.readMessages('t'));
    expect(said.filter((line) => line.startsWith('user'))).toEqual([
      'user: hello',
      'user: too early',
      'user: follow up',
    ]);
    await expectSound(played);
  });

  test('K08, K10 and K18, without the cancel: the turn goes on with the result', async () => {
    const look = counted('look', { sideEffects: 'none', execute: () => sleep(5) });
    const model = scriptedModel([call, 'done'], { strict: true });
    const played = await play(mode, { model, tools: [look.tool] });
    expect(expectStatus(played.result, 'completed').text).toBe('done');
    expectStatus(await played.agent.cancel('t'), 'completed');
  });
});
