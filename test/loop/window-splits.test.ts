import {
  type AgentHooks,
  createAgent,
  defineHooks,
  type HeldPatterns,
  ResponseDecision,
  releasable,
  WindowDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { piecesModel, shownIn } from './window-desk.ts';

/** No text around it, and no fallback, holds one of its characters. */
const SECRET = '7381';
const CARD: HeldPatterns = { patterns: [/\d{4}([ -]\d{4}){3}/], maxMatchLength: 19 };
const CARD_NUMBER = '7381-7381 7381-7381';

/** Every way to cut a text into pieces, by UTF-16 units. */
function* everySplit(text: string): Generator<string[]> {
  const gaps = text.length - 1;
  for (let cuts = 0; cuts < 2 ** gaps; cuts += 1) {
    yield split(text, (gap) => (cuts & (1 << gap)) !== 0);
  }
}

function split(text: string, isCut: (gap: number) => boolean): string[] {
  const pieces = [''];
  for (let at = 0; at < text.length; at += 1) {
    if (at > 0 && isCut(at - 1)) pieces.push('');
    pieces[pieces.length - 1] = `${pieces.at(-1)}${text.charAt(at)}`;
  }
  return pieces;
}

/** The same splits in every run: a failing one can be seen again. */
function* someSplits(text: string, count: number): Generator<string[]> {
  let seed = 20_260_101;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let index = 0; index < count; index += 1) {
    const rate = random();
    yield split(text, () => random() < rate);
  }
}

/** Three ways to keep a secret in, over the same window. */
function guards(held: HeldPatterns): Record<string, AgentHooks> {
  const has = (text: string): boolean =>
    releasable({ text, before: '', released: 0, isFinal: true }, held) < text.length;
  return {
    'one that blocks': defineHooks({
      name: 'guard',
      onTextWindow: (window) => {
        const chars = releasable(window, held);
        return window.isFinal && chars < window.text.length
          ? WindowDecision.block('a secret')
          : WindowDecision.release(chars);
      },
    }),
    'one that only ever holds': defineHooks({
      name: 'guard',
      onTextWindow: (window) => WindowDecision.release(releasable(window, held)),
    }),
    'one that rewrites in the end': defineHooks({
      name: 'guard',
      onTextWindow: (window) =>
        window.isFinal ? undefined : WindowDecision.release(releasable(window, held)),
      onLlmResponse: ({ text }) =>
        has(text) ? ResponseDecision.modify({ text: 'withheld' }) : undefined,
    }),
  };
}

async function play(pieces: readonly string[], hooks: AgentHooks, streaming: 'hold' | 'window') {
  const agent = createAgent({ name: 'a', model: piecesModel(pieces), hooks: [hooks], streaming });
  const stream = agent.stream({ message: 'go' });
  const events = [];
  for await (const event of stream) events.push(event);
  const deltas = events.flatMap((event) => (event.type === 'llm.delta' ? [event.text] : []));
  const result = await stream.result;
  return { shown: shownIn(events), deltas, result, kinds: events.map(({ type }) => type) };
}

describe.each(['hold', 'window'] as const)('a secret cut into pieces, in %s', (streaming) => {
  test.each(Object.entries(guards({ patterns: [SECRET] })))(
    'B83: at every place it can be cut, %s lets not one character of it out',
    async (name, guard) => {
      for (const text of [`ab ${SECRET} c`, `${SECRET}ab`, `a b${SECRET}`]) {
        for (const pieces of everySplit(text)) {
          const { shown, result, deltas, kinds } = await play(pieces, guard, streaming);
          expect(shown, JSON.stringify(pieces)).not.toMatch(/[7381]/);
          expect(kinds.includes('text.retracted')).toBe(deltas.length > 0);
          const status = name.includes('blocks')
            ? 'blocked'
            : name.includes('rewrites')
              ? 'completed'
              : 'failed';
          expect(result.status).toBe(status);
        }
      }
    },
  );

  test.each(Object.entries(guards(CARD)))(
    'B83: at 2,000 places chosen by chance in a longer text, %s lets not one digit of it out',
    async (_name, guard) => {
      const text = `Your card, ${CARD_NUMBER}, is fine 👍🏽; no other was used.`;
      for (const pieces of someSplits(text, 2_000)) {
        const { shown } = await play(pieces, guard, streaming);
        expect(shown, JSON.stringify(pieces)).not.toMatch(/\d/);
      }
    },
  );
});

describe.each(['hold', 'window'] as const)('clean text cut into pieces, in %s', (streaming) => {
  const clean = ['é 👍🏽 ñ', '73 8👩‍👧1'];

  test.each(Object.entries(guards({ patterns: [SECRET] })))(
    'B83: at every place it can be cut, arrives as it was with %s, and no piece is half a character',
    async (_name, guard) => {
      for (const text of clean) {
        for (const pieces of everySplit(text)) {
          const { deltas, result, kinds } = await play(pieces, guard, streaming);
          expect(result).toMatchObject({ status: 'completed', text });
          expect(deltas.join('')).toBe(streaming === 'window' ? text : '');
          expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
          expect(kinds).not.toContain('text.retracted');
        }
      }
    },
  );

  test('B83: at 2,000 places chosen by chance in a longer text, arrives as it was', async () => {
    const text = `Grüße, 世界 👩‍👩‍👧 🎉: 7381-7381 are no card; e\u0301 is é, and ${'x'.repeat(40)}.`;
    const [guard] = Object.values(guards(CARD));
    if (guard === undefined) throw new Error('no guard');
    for (const pieces of someSplits(text, 2_000)) {
      const { deltas, result } = await play(pieces, guard, streaming);
      expect(result).toMatchObject({ status: 'completed', text });
      expect(deltas.join('')).toBe(streaming === 'window' ? text : '');
      expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
    }
  });
});

test('B83: live pieces are whole characters too, at every place the text can be cut', async () => {
  for (const pieces of everySplit('é 👍🏽 ñ')) {
    const agent = createAgent({ name: 'a', model: piecesModel(pieces) });
    const deltas: string[] = [];
    for await (const event of agent.stream({ message: 'go' }))
      if (event.type === 'llm.delta') deltas.push(event.text);
    expect(deltas.join('')).toBe('é 👍🏽 ñ');
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
  }
});
