import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { WindowDecision } from '../../src/decisions/window-decision.ts';
import { releasable } from '../../src/hooks/releasable.ts';
import type { TextWindow } from '../../src/protocol/texts.ts';
import { chunked, chunkedBytes, scriptedModel } from '../../src/testing/index.ts';

const SECRET = '4929718305562841';

describe('chunked', () => {
  test('gives every way of a short text, each once', () => {
    const ways = chunked('abcd');
    expect(new Set(ways.map((pieces) => pieces.join('|'))).size).toBe(8);
    expect(ways.length).toBe(8);
    expect(ways[0]).toEqual(['abcd']);
  });

  test.each(['', 'a', 'héllo 😀 wörld, this is longer', `my card is ${SECRET}, thanks`])(
    'each way of %j is the text again',
    (text) => {
      const ways = chunked(text, { secrets: [SECRET] });
      expect(ways.length).toBeGreaterThan(0);
      expect(new Set(ways.map((pieces) => pieces.join('')))).toEqual(new Set([text]));
    },
  );

  test('cuts within each surrogate pair and at every place of a secret, before a limit ends it', () => {
    const text = `${'x'.repeat(300)} 😀 ${SECRET} ${'y'.repeat(300)}`;
    const ways = chunked(text, { secrets: [SECRET], limit: 60 });
    expect(ways.length).toBe(60);
    const once = ways.filter((pieces) => pieces.length === 2).map(([first = '']) => first.length);
    const start = text.indexOf(SECRET);
    const within = Array.from({ length: SECRET.length - 1 }, (_, index) => start + index + 1);
    expect(once).toEqual(expect.arrayContaining([text.indexOf('😀') + 1, ...within]));
  });

  test('is the same each time', () => {
    const options = { secrets: ['bc'] };
    expect(chunked('abcdefghijkl', options)).toEqual(chunked('abcdefghijkl', options));
  });
});

describe('chunkedBytes', () => {
  const text = 'ä😀 abcdefghi';

  test('each way is the text again for who decodes a stream', () => {
    for (const pieces of chunkedBytes(text)) {
      const decoder = new TextDecoder();
      const read = pieces.map((bytes) => decoder.decode(bytes, { stream: true })).join('');
      expect(read + decoder.decode()).toBe(text);
    }
  });

  test('and not for who decodes each piece by itself', () => {
    const broken = chunkedBytes(text).filter(
      (pieces) => pieces.map((bytes) => new TextDecoder().decode(bytes)).join('') !== text,
    );
    expect(broken.length).toBeGreaterThan(3);
  });
});

class Held {
  readonly name = 'held';

  onTextWindow(window: TextWindow): WindowDecision {
    const chars = releasable(window, { patterns: [/\b\d{16}\b/], maxMatchLength: 17 });
    return window.isFinal && chars < window.text.length
      ? WindowDecision.block('a card number')
      : WindowDecision.release(chars);
  }
}

class Naive {
  readonly name = 'naive';

  onTextWindow({ text }: TextWindow): WindowDecision {
    return /\d{16}/.test(text)
      ? WindowDecision.block('a card')
      : WindowDecision.release(text.length);
  }
}

test.each([
  ['a policy that holds what may grow into one leaks nothing', new Held(), false],
  ['one that does not is found', new Naive(), true],
])('%s', async (_, policy, leaks) => {
  const shown: string[] = [];
  for (const pieces of chunked(`card ${SECRET}!`, { secrets: [SECRET], limit: 40 })) {
    const model = scriptedModel([{ pieces }]);
    const agent = createAgent({ name: 'a', model, hooks: [policy], streaming: 'window' });
    let text = '';
    for await (const event of agent.stream({ message: 'hi' }))
      if (event.type === 'llm.delta') text += event.text;
    shown.push(text);
  }
  expect(shown.some((text) => /\d{5}/.test(text))).toBe(leaks);
});

test('a secret of two characters is cut in two, with nothing between them', () => {
  const ways = chunked('pin is 42 today', { secrets: ['42'] });
  expect(ways.filter((pieces) => pieces.includes(''))).toEqual([]);
});
