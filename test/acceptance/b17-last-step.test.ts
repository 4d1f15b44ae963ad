import { describe, expect, test } from 'vitest';
import { defineHooks, MessageDecision, ResponseDecision, scriptedModel } from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const call = { text: 'the secret plan', toolCalls: [{ name: 'look' }] };
const limits = { steps: 1 };
const fallbacks = { limit: 'no more time', outgoing: 'withheld', response: 'withheld' };
const guards = {
  onOutgoingMessage: defineHooks({
    name: 'guard',
    onOutgoingMessage: () => MessageDecision.block('secret'),
  }),
  onLlmResponse: defineHooks({
    name: 'guard',
    onLlmResponse: () => ResponseDecision.retryWithFeedback('say it differently'),
  }),
};

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('B17: the text of the last step meets the guard of texts, and the one that tells of the limit is nowhere stored', async () => {
      const look = counted('look');
      const hooks = [guards.onOutgoingMessage];
      const model = scriptedModel([call, 'more'], { strict: true });
      const store = open();
      const scene = { model, store, tools: [look.tool], limits, fallbacks, hooks };
      const played = await play(mode, scene);
      expect(expectStatus(played.result, 'limited')).toMatchObject({ text: 'no more time' });
      expect(look.inputs).toHaveLength(1);
      const said = ofType(played.streamed, 'message.outgoing').filter((each) => !each.discarded);
      expect(said.map(({ text, fallback }) => [text, fallback])).toEqual([
        ['withheld', 'outgoing'],
        ['no more time', 'limit'],
      ]);
      // The audit, and whoever watches it, has it as discarded; live, its pieces had left and were taken back.
      const streamed = mode === 'stream held' ? [] : ['streamed'];
      expect(await placesOf('secret plan', played)).toEqual(['heard', ...streamed, 'events']);
      for (const text of ['no more time', 'withheld', 'secret plan'])
        expect(JSON.stringify(await store.readMessages('t'))).not.toContain(text);
      await play(mode, { ...scene, hooks: [] }, { message: 'again' });
      for (const text of ['no more time', 'withheld', 'secret plan'])
        expect(JSON.stringify(model.requests[1])).not.toContain(text);
      await expectSound(played);
    });
  });

  test('B17: an answer that a guard rejects on the last step ends at the limit, and is stored in no mode', async () => {
    const look = counted('look');
    const hooks = [guards.onLlmResponse];
    const scene = { model: scriptedModel([call]), tools: [look.tool], limits, fallbacks, hooks };
    const played = await play(mode, scene);
    expect(expectStatus(played.result, 'limited').text).toBe('no more time');
    expect(look.inputs).toEqual([]);
    const stored = await played.store.readMessages('t');
    expect(stored.map(({ role }) => role)).toEqual(['user']);
    const live = mode === 'stream live' ? ['heard', 'streamed'] : [];
    expect(await placesOf('secret plan', played)).toEqual(live);
    await expectSound(played);
  });

  test('B17, without the guard: the text is stored and shown, and the limit still ends the turn', async () => {
    const look = counted('look');
    const scene = { model: scriptedModel([call]), tools: [look.tool], limits, fallbacks };
    const played = await play(mode, scene);
    expectStatus(played.result, 'limited');
    expect(await placesOf('secret plan', played)).toEqual(
      expect.arrayContaining(['streamed', 'messages', 'result']),
    );
  });
});
