import {
  createAgent,
  defineHooks,
  MessageDecision,
  memoryStore,
  ResponseDecision,
  shadow,
  type TextWindow,
  WindowDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { MODES } from '../acceptance/modes.ts';
import { piecesModel, watch } from './window-desk.ts';

const guard = defineHooks({
  name: 'guard',
  // What it has let go itself is no longer in `text`.
  onTextWindow: ({ before, text }) =>
    (before + text).includes('xyzzy') ? WindowDecision.block('banned') : undefined,
});

/** Notes what it is asked about, and has no opinion. */
function looking() {
  const seen: TextWindow[] = [];
  const look = defineHooks({ name: 'look', onTextWindow: (window) => void seen.push(window) });
  return { look, seen };
}

describe.each(MODES)('onTextWindow by $name', ({ turn }) => {
  test.each(['hold', 'window', 'live', undefined] as const)(
    'a Block holds in streaming mode %s',
    async (streaming) => {
      const store = memoryStore();
      const agent = createAgent({
        name: 'a',
        model: piecesModel(['ok ', 'xyz', 'zy']),
        hooks: [guard],
        store,
        ...(streaming !== undefined && { streaming }),
      });
      expect(await turn(agent, { threadId: 't', message: 'go' })).toMatchObject({
        status: 'blocked',
        by: 'guard',
        point: 'onTextWindow',
      });
      expect(await store.readMessages('t')).toHaveLength(1);
    },
  );

  test('a failure is closed', async () => {
    const broken = defineHooks({
      name: 'broken',
      onTextWindow: () => {
        throw new Error('no');
      },
    });
    const agent = createAgent({ name: 'a', model: piecesModel(['hello']), hooks: [broken] });
    expect(await turn(agent, { threadId: 't', message: 'go' })).toMatchObject({
      status: 'failed',
      error: { point: 'onTextWindow' },
    });
  });

  test('outside of a windowed stream it is asked once, about the whole text', async () => {
    const { look, seen } = looking();
    const agent = createAgent({ name: 'a', model: piecesModel(['one ', 'two']), hooks: [look] });
    expect(await turn(agent, { threadId: 't', message: 'go' })).toMatchObject({
      status: 'completed',
    });
    expect(seen).toEqual([{ text: 'one two', before: '', released: 0, isFinal: true }]);
  });
});

describe('onTextWindow', () => {
  test('is not asked about an answer without text', async () => {
    const { look, seen } = looking();
    const model = {
      id: 'm',
      generate: async () => ({
        content: [{ type: 'file', mediaType: 'text/plain', data: 'eA==' } as const],
        finishReason: 'stop' as const,
        usage: { inputTokens: 1, outputTokens: 1 },
      }),
      stream: () => {
        throw new Error('not used');
      },
    };
    const agent = createAgent({ name: 'a', model, hooks: [look] });
    expect(await agent.run({ message: 'go' })).toMatchObject({ status: 'completed' });
    expect(seen).toEqual([]);
  });

  test('makes a stream that nobody chose a mode for hold its text', async () => {
    const { look } = looking();
    const { pieces, types } = await watch(piecesModel(['one ', 'two']), [look], {
      streaming: undefined as never,
    });
    expect(pieces).toEqual([]);
    expect(types).toContain('message.outgoing');
  });

  test('live, what was shown is taken back when it blocks', async () => {
    const { events, pieces } = await watch(piecesModel(['xyz', 'zy']), [guard], {
      streaming: 'live',
    });
    expect(pieces).toEqual(['xyz', 'zy']);
    expect(events.filter(({ type }) => type === 'text.retracted')).toMatchObject([
      { by: 'guard', point: 'onTextWindow' },
    ]);
  });

  test('a policy that judges later can only take back what a window has let go', async () => {
    const all = defineHooks({
      name: 'all',
      onTextWindow: ({ text }) => WindowDecision.release(text.length),
    });
    const redact = defineHooks({
      name: 'redact',
      onOutgoingMessage: ({ text }) => MessageDecision.modify(text.replace('xyzzy', '***')),
    });
    const shown = await watch(piecesModel(['xyz', 'zy']), [all, redact]);
    expect(shown.pieces).toEqual(['xyz', 'zy']);
    expect(shown.types).toContain('text.retracted');
    expect(shown.result).toMatchObject({ status: 'completed', text: '***' });
    const held = await watch(piecesModel(['xyz', 'zy']), [redact]);
    expect(held.pieces).toEqual([]);
  });

  test('a policy on trial is asked about the whole, lets nothing go and blocks nothing', async () => {
    const { pieces, result, events } = await watch(piecesModel(['xyz', 'zy']), [shadow(guard)]);
    expect(pieces).toEqual([]);
    expect(result).toMatchObject({ status: 'completed', text: 'xyzzy' });
    expect(events.filter(({ type }) => type === 'hook.decided')).toMatchObject([
      { policy: 'guard', point: 'onTextWindow', decision: 'block', shadow: true },
    ]);
  });

  test('is asked again about a text that onLlmResponse has put in its place', async () => {
    const rewrites = defineHooks({
      name: 'rewrites',
      onLlmResponse: ({ text }) =>
        text === 'fine' ? ResponseDecision.modify({ text: 'xyzzy' }) : undefined,
    });
    for (const streaming of ['hold', 'window'] as const) {
      const { result, events } = await watch(piecesModel(['fi', 'ne']), [guard, rewrites], {
        streaming,
      });
      expect(result).toMatchObject({ status: 'blocked', point: 'onTextWindow' });
      expect(JSON.stringify(events)).not.toContain('xyzzy');
    }
  });

  test('the record of a long answer holds one decision, under a digest', async () => {
    const all = defineHooks({
      name: 'all',
      onTextWindow: ({ text }) => WindowDecision.release(text.length),
    });
    const { store } = await watch(piecesModel(Array.from({ length: 100 }, () => 'x')), [all]);
    const decided = (await store.readEvents('t')).filter(({ type }) => type === 'hook.decided');
    expect(decided).toMatchObject([
      { policy: 'all', point: 'onTextWindow', decision: 'release', digest: expect.any(String) },
    ]);
  });
});
