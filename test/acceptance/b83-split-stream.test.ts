import { describe, expect, test } from 'vitest';
import { ofType } from './evidence.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { chunk, splitEndpoint } from './split-endpoint.ts';
import { expectSound, resultsIn } from './traces.ts';

const endpoint = splitEndpoint();
const STREAMS = MODES.filter((mode) => mode.startsWith('stream'));
const text = 'Grüße, 世界 👩‍👩‍👧 🎉 done';
const words = text.split(/(?<= )/).map((content) => chunk({ content }));

interface Piece {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
}

/** A piece of a tool call, as OpenAI streams it. */
function piece({ index, id, name, text: args }: Piece): object {
  const call = {
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id, type: 'function' }),
    function: {
      ...(name !== undefined && { name }),
      ...(args !== undefined && { arguments: args }),
    },
  };
  return chunk({ tool_calls: [call] });
}

const done = [chunk({ content: 'done' }), chunk({}, 'stop')];
const interleaved: readonly object[] = [
  piece({ index: 0, id: 'call_a', name: 'look', text: '' }),
  piece({ index: 1, id: 'call_b', name: 'charge', text: '' }),
  piece({ index: 0, text: '{"id":' }),
  piece({ index: 1, text: '{"id":"b' }),
  piece({ index: 0, text: '"a👍' }),
  piece({ index: 1, text: '-2"' }),
  piece({ index: 0, text: '-1"}' }),
  piece({ index: 1, text: '}' }),
  chunk({}, 'tool_calls'),
];

describe.each(STREAMS)('%s', (mode) => {
  test.each([1, 2, 3, 7])(
    'B83: an answer whose bytes come %i at a time is whole, character by character and piece by piece',
    async (bytes) => {
      const model = endpoint.model([[...words, chunk({}, 'stop')]], bytes);
      const played = await play(mode, { model });
      expect(expectStatus(played.result, 'completed').text).toBe(text);
      const pieces = ofType(played.streamed, 'llm.delta').map((delta) => delta.text);
      expect(pieces).toEqual(mode === 'stream live' ? text.split(/(?<= )/) : []);
      expect(await played.store.readMessages('t')).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'text', text }] },
      ]);
      await expectSound(played);
    },
  );

  test.each([1, 10_000])(
    'B84: two calls whose pieces come in turns, %i bytes at a time, are two whole calls in their order',
    async (bytes) => {
      const [look, charge] = [counted('look'), counted('charge')];
      const model = endpoint.model([interleaved, done], bytes);
      const played = await play(mode, { model, tools: [look.tool, charge.tool] });
      expectStatus(played.result, 'completed');
      expect(look.inputs).toEqual([{ id: 'a👍-1' }]);
      expect(charge.inputs).toEqual([{ id: 'b-2' }]);
      expect(resultsIn(await played.store.readMessages('t'))).toEqual({
        '1.1.0': { outcome: 'succeeded', output: 'look done' },
        '1.1.1': { outcome: 'succeeded', output: 'charge done' },
      });
      await expectSound(played);
    },
  );

  test.each(['compatible', 'openai'] as const)(
    'B84: pieces without an index are two whole calls, or an answer that cannot be read: %s',
    async (provider) => {
      const [look, charge] = [counted('look'), counted('charge')];
      const calls = [
        piece({ id: 'call_a', name: 'look', text: '{"id":' }),
        piece({ text: '"a"}' }),
        piece({ id: 'call_b', name: 'charge', text: '{"id":' }),
        piece({ text: '"b"}' }),
        chunk({}, 'tool_calls'),
      ];
      const model = endpoint.model([calls, done], 10_000, provider);
      const played = await play(mode, { model, tools: [look.tool, charge.tool] });
      const isRead = provider === 'compatible';
      expectStatus(played.result, isRead ? 'completed' : 'failed');
      expect(look.inputs).toEqual(isRead ? [{ id: 'a' }] : []);
      expect(charge.inputs).toEqual(isRead ? [{ id: 'b' }] : []);
      await expectSound(played);
    },
  );
});
