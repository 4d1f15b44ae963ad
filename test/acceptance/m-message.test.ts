import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  type IncomingText,
  MessageDecision,
  type OutgoingText,
  scriptedModel,
} from '../../src/index.ts';
import { ofType, transcript } from './evidence.ts';
import { counted, expectStatus, MODES, play, stores } from './play.ts';
import { placesOf } from './traces.ts';

const noSpam = defineHooks({
  name: 'no-spam',
  onUserMessage: ({ text }) => (text.includes('xyzzy') ? MessageDecision.block('spam') : undefined),
});

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('M-61: a rewritten message is what is stored, told and sent, and the original is nowhere', async () => {
      const loud = defineHooks({
        name: 'loud',
        onUserMessage: ({ text }) => MessageDecision.modify(text.replace('xyzzy', 'plugh')),
      });
      const model = scriptedModel(['done']);
      const scene = { store: open(), model, hooks: [loud] };
      const played = await play(mode, scene, { message: 'say xyzzy' });
      expectStatus(played.result, 'completed');
      expect(transcript(model.requests[0]?.messages ?? [])).toEqual(['user: say plugh']);
      expect(transcript(await played.store.readMessages('t'))).toEqual([
        'user: say plugh',
        'assistant: done',
      ]);
      expect(ofType(played.heard, 'message.user')).toMatchObject([{ text: 'say plugh' }]);
      expect(await placesOf('xyzzy', played)).toEqual([]);
    });

    test('M-62, M-63, M-64: a refused message calls nothing, stays in the audit as discarded, and no later request holds it', async () => {
      const look = counted('look');
      const model = scriptedModel(['done', 'again']);
      const scene = { store: open(), model, tools: [look.tool], hooks: [noSpam] };
      const played = await play(mode, scene, { message: 'buy xyzzy' });
      expect(expectStatus(played.result, 'blocked')).toMatchObject({
        point: 'onUserMessage',
        reason: 'spam',
      });
      expect([model.calls, look.inputs]).toEqual([0, []]);
      const events = await played.store.readEvents('t');
      expect(ofType(events, 'message.user')).toMatchObject([
        { text: 'buy xyzzy', discarded: true },
      ]);
      const next = await play(mode, scene, { message: 'hello' });
      expectStatus(next.result, 'completed');
      expect(JSON.stringify(model.requests)).not.toContain('xyzzy');
      expect(JSON.stringify(await next.store.readMessages('t'))).not.toContain('xyzzy');
    });
  });

  test('M-62 twin: without the policy the message is answered', async () => {
    const model = scriptedModel(['done']);
    const played = await play(mode, { model }, { message: 'buy xyzzy' });
    expectStatus(played.result, 'completed');
    expect(JSON.stringify(model.requests)).toContain('xyzzy');
  });

  test('M-68: of a message without a text nobody is asked, and what comes beside a text stays as it is', async () => {
    const asked: IncomingText[] = [];
    const upper = defineHooks({
      name: 'upper',
      onUserMessage: (message) => {
        asked.push(message);
        return MessageDecision.modify(message.text.toUpperCase());
      },
    });
    const file = { type: 'file', mediaType: 'text/plain', data: 'aGk=' } as const;
    const model = scriptedModel(['one', 'two']);
    const silent = await play(
      mode,
      { model, hooks: [upper] },
      { message: { role: 'user', content: [file] } },
    );
    expectStatus(silent.result, 'completed');
    expect(asked).toEqual([]);
    expect(model.requests[0]?.messages).toMatchObject([{ role: 'user', content: [file] }]);
    const text = { type: 'text', text: 'read this' } as const;
    await play(
      mode,
      { model, hooks: [upper] },
      { message: { role: 'user', content: [text, file] } },
    );
    expect(asked).toEqual([{ text: 'read this', attachments: [file] }]);
    expect(model.requests[1]?.messages).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'READ THIS' }, file] },
    ]);
  });

  test('M-127: each text for the user is judged, also the one beside calls', async () => {
    const asked: OutgoingText[] = [];
    const watches = defineHooks({
      name: 'watches',
      onOutgoingMessage: (message) => {
        asked.push(message);
      },
    });
    const look = counted('look');
    const script = [{ text: 'One moment.', toolCalls: [{ name: 'look' }] }, 'Here it is.'];
    const played = await play(mode, {
      model: scriptedModel(script),
      tools: [look.tool],
      hooks: [watches],
    });
    expectStatus(played.result, 'completed');
    expect(asked).toEqual([
      { text: 'One moment.', isFinal: false },
      { text: 'Here it is.', isFinal: true },
    ]);
  });

  test('U-AC1: the first message of a thread is told with its text, in a turn that says it is the first', async () => {
    const scene = { model: scriptedModel(['one', 'two']) };
    const { heard, agent } = await play(mode, scene, { message: 'first' });
    await agent.run({ threadId: 't', message: 'second' });
    const firsts = ofType(heard, 'turn.started').flatMap(({ isFirst, turnId }) =>
      isFirst ? ofType(heard, 'message.user').filter((event) => event.turnId === turnId) : [],
    );
    expect(firsts).toMatchObject([{ text: 'first' }]);
  });
});
