import { describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  defineHooks,
  MessageDecision,
  ResponseDecision,
  scriptedModel,
  textOf,
} from '../../src/index.ts';
import { counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const WORD = 'xyzzy';
const ANSWER = { text: `the word is ${WORD}`, reasoning: `I must not say ${WORD}` };
const FALLBACK = 'Sorry, I cannot answer that.';

const responseGuard = defineHooks({
  name: 'guard',
  onLlmResponse: (response) =>
    response.text.includes(WORD) ? ResponseDecision.block('a banned word') : undefined,
});

const outgoingGuard = defineHooks({
  name: 'guard',
  onOutgoingMessage: (message) =>
    message.text.includes(WORD) ? MessageDecision.block('a banned word') : undefined,
});

describe.each(stores())('%s store', (_name, open) => {
  test.each(MODES)(
    'B02: a blocked draft is in no session and no later request: %s',
    async (mode) => {
      const store = open();
      const model = scriptedModel([ANSWER, 'better']);
      const hooks = [responseGuard];
      const played = await play(mode, { store, model, hooks });
      expectStatus(played.result, 'blocked');
      const kept = await store.readMessages('t');
      expect(kept.map(({ role }) => role)).toEqual(['user']);
      const next = await play(mode, { store, model, hooks }, { message: 'again' });
      expect(expectStatus(next.result, 'completed').text).toBe('better');
      expect(JSON.stringify(model.requests[1])).not.toContain(WORD);
      await expectSound(next);
    },
  );
});

test('B02, without the guard: the draft is stored and sent again', async () => {
  const model = scriptedModel([ANSWER, 'better']);
  const played = await play('run', { model });
  await played.agent.run({ threadId: 't', message: 'again' });
  expect((await played.store.readMessages('t')).map(textOf)).toContain(ANSWER.text);
  expect(JSON.stringify(model.requests[1])).toContain(WORD);
});

describe.each(MODES)('%s', (mode) => {
  const script = [ANSWER];

  test('B04: the stream ends with the block, and nothing comes after it', async () => {
    const played = await play(mode, { model: scriptedModel(script), hooks: [responseGuard] });
    expect(expectStatus(played.result, 'blocked')).toMatchObject({
      by: 'guard',
      point: 'onLlmResponse',
      reason: 'a banned word',
    });
    const types = played.streamed.map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['message.outgoing', 'step.finished', 'turn.finished']);
    expect(played.streamed.at(-1)).toMatchObject({ status: 'blocked' });
    expect(played.streamed.at(-3)).toMatchObject({ text: FALLBACK, fallback: 'response' });
    await expectSound(played);
  });

  test('B06: a banned word never gets out, streaming or not', async () => {
    const played = await play(mode, { model: scriptedModel(script), hooks: [responseGuard] });
    expectStatus(played.result, 'blocked');
    // A live stream shows pieces before the verdict, which is what `live` is chosen for, and takes them back.
    const live = mode === 'stream live' ? ['heard', 'streamed'] : [];
    expect(await placesOf(WORD, played)).toEqual(live);
    const retracted = played.streamed.filter(({ type }) => type === 'text.retracted');
    expect(retracted).toHaveLength(mode === 'stream live' ? 1 : 0);
  });

  test('B06, without the guard: the word is shown and stored', async () => {
    const played = await play(mode, { model: scriptedModel(script) });
    expect(expectStatus(played.result, 'completed').text).toContain(WORD);
    expect(await placesOf(WORD, played)).toEqual(
      expect.arrayContaining(['heard', 'streamed', 'events', 'messages', 'result']),
    );
  });

  test('B05: a text blocked at onOutgoingMessage is in the audit as discarded and nowhere else', async () => {
    const played = await play(mode, { model: scriptedModel(script), hooks: [outgoingGuard] });
    expect(expectStatus(played.result, 'blocked')).toMatchObject({
      by: 'guard',
      point: 'onOutgoingMessage',
      text: 'Sorry, I cannot show you that answer.',
      messages: [{ role: 'user' }],
    });
    // Observers and the store are the audit; a stream is what a user sees.
    const streamed = mode === 'stream held' ? [] : ['streamed'];
    expect(await placesOf(WORD, played)).toEqual(['heard', ...streamed, 'events']);
    const saying = (await played.store.readEvents('t')).filter((event) =>
      JSON.stringify(event).includes(WORD),
    );
    expect(saying).toMatchObject([{ type: 'message.outgoing', discarded: true }]);
    await expectSound(played);
  });

  test('B05: so is a text beside calls, as none that ends the turn', async () => {
    const look = counted('look', { sideEffects: 'none' });
    const both = [{ text: `${WORD}!`, toolCalls: [{ name: 'look' }] }, 'done'];
    const model = scriptedModel(both, { strict: true });
    const played = await play(mode, { model, tools: [look.tool], hooks: [outgoingGuard] });
    expect(expectStatus(played.result, 'completed').text).toBe('done');
    expect(look.inputs).toHaveLength(1);
    expect(played.heard.filter(({ type }) => type === 'message.outgoing')).toMatchObject([
      { text: `${WORD}!`, isFinal: false, discarded: true },
      { fallback: 'outgoing', isFinal: false },
      { text: 'done', isFinal: true },
    ]);
  });
});

describe('B05: one rule whatever blocked', () => {
  const guards: readonly (readonly [string, AgentHooks])[] = [
    ['onLlmResponse', responseGuard],
    ['onOutgoingMessage', outgoingGuard],
  ];

  test.each(guards)('%s: result, messages and the stored copy agree', async (_point, hook) => {
    for (const mode of MODES) {
      const played = await play(mode, { model: scriptedModel([ANSWER]), hooks: [hook] });
      const result = expectStatus(played.result, 'blocked');
      const shown = (await played.store.readEvents('t')).flatMap((event) =>
        event.type === 'message.outgoing' && event.discarded !== true ? [event.text] : [],
      );
      expect(shown).toEqual([result.text]);
      expect(result.messages).toEqual(await played.store.readMessages('t'));
      expect(JSON.stringify(result)).not.toContain(WORD);
    }
  });
});
