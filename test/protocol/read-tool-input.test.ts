import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readToolInput } from '../../src/protocol/read-tool-input.ts';

describe('reading the arguments a model wrote', () => {
  test.each(['', '  ', '\n\t'])('B53: blank text %j is an empty object', (text) => {
    expect(readToolInput(text)).toEqual({ input: {} });
  });

  test.each(['null', '5', '"x"', 'true', '[]', '[{"a":1}]'])(
    'B53: %s is no object and therefore malformed',
    (text) => {
      expect(readToolInput(text)).toEqual({ malformed: 'the arguments are not a JSON object' });
    },
  );

  test('text cut anywhere is malformed, never repaired and never an empty object', () => {
    const whole = '{"orderId":"A-1","lines":[{"sku":"x","count":2}]}';
    for (let length = 1; length < whole.length; length += 1) {
      expect(readToolInput(whole.slice(0, length))).toHaveProperty('malformed');
    }
    expect(readToolInput(whole)).toHaveProperty('input');
  });

  test.each(['{orderId: 1}', "{'a':1}", '{"a":1,}', '{"a":1} {"b":2}', 'NaN'])(
    'faulty JSON %s is malformed',
    (text) => {
      expect(readToolInput(text)).toHaveProperty('malformed');
    },
  );

  test('the reason never quotes the text', () => {
    const reading = readToolInput('{"token":"sk-live-123');
    expect(JSON.stringify(reading)).not.toContain('sk-live');
  });

  test.each(['{"__proto__":{"isAdmin":true},"q":1}', '{"a":[{"constructor":{"prototype":{}}}]}'])(
    'B54: a prototype key in %s is refused',
    (text) => {
      expect(readToolInput(text)).toHaveProperty('malformed');
      expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
    },
  );

  test('a plain `constructor` is an ordinary name', () => {
    expect(readToolInput('{"constructor":"Ferrari"}')).toEqual({
      input: { constructor: 'Ferrari' },
    });
  });

  test('deeper nesting than any tool needs is refused instead of overflowing the stack', () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(readToolInput(deep)).toEqual({ malformed: 'the arguments are nested too deeply' });
  });

  test('what is read is frozen and equal to what was written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 4 })),
        (object) => {
          const text = JSON.stringify(object);
          fc.pre(
            !text.includes('__proto__') && !text.includes('constructor') && text.isWellFormed(),
          );
          const reading = readToolInput(text);
          expect(reading).toEqual({ input: JSON.parse(text) });
          expect(Object.isFrozen('input' in reading && reading.input)).toBe(true);
        },
      ),
    );
  });
});
