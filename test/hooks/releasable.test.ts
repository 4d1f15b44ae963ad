import { describe, expect, test } from 'vitest';
import { type HeldPatterns, releasable } from '../../src/hooks/releasable.ts';
import { illegal } from './make-gate.ts';

/** What may leave of `text`, after `before` has. */
function left(held: HeldPatterns, text: string, { before = '', isFinal = false } = {}): string {
  return text.slice(0, releasable({ text, before, released: before.length, isFinal }, held));
}

describe('releasable — a fixed text', () => {
  const held = { patterns: ['abab'] };

  test('leaves up to where it begins, or could', () => {
    expect(left(held, 'say abab now')).toBe('say ');
    expect(left(held, 'say aba')).toBe('say ');
    expect(left(held, 'say ab')).toBe('say ');
    expect(left(held, 'say a')).toBe('say ');
    expect(left(held, 'say b')).toBe('say b');
    expect(left(held, 'abaaba')).toBe('aba');
    expect(left(held, '')).toBe('');
  });

  test('at the end only a whole one counts', () => {
    expect(left(held, 'say aba', { isFinal: true })).toBe('say aba');
    expect(left(held, 'say abab', { isFinal: true })).toBe('say ');
  });

  test('of several the first counts', () => {
    expect(left({ patterns: ['zz', 'yy'] }, 'a yy zz')).toBe('a ');
    expect(left({ patterns: ['zz', 'yy'] }, 'a zz yy')).toBe('a ');
    expect(left({ patterns: [] }, 'abc')).toBe('abc');
  });

  test('one that began in what has left already lets nothing more out', () => {
    expect(left(held, 'ab and more', { before: 'ab' })).toBe('');
    expect(left(held, ' and more', { before: 'abab' })).toBe(' and more');
    expect(left(held, 'b', { before: 'aba' })).toBe('');
  });
});

describe('releasable — a regular expression', () => {
  const digits = { patterns: [/\d{4}/], maxMatchLength: 4 };

  test('keeps as much back as a match could still need', () => {
    expect(left(digits, 'abcdefgh')).toBe('abcde');
    expect(left(digits, 'ab')).toBe('');
    expect(left(digits, 'no 1234 here, and on')).toBe('no ');
    expect(left(digits, 'no 1234', { isFinal: true })).toBe('no ');
    expect(left(digits, 'no 123', { isFinal: true })).toBe('no 123');
  });

  test('a match that overlaps an earlier one counts too', () => {
    expect(left(digits, '4567', { before: 'x123', isFinal: true })).toBe('');
    expect(left(digits, '56', { before: 'x1234', isFinal: true })).toBe('');
    expect(left(digits, ' 12', { before: 'x1234', isFinal: true })).toBe(' 12');
  });

  test('one that begins within a match that is out already counts too', () => {
    const either = { patterns: [/ab|bcd/], maxMatchLength: 3 };
    expect(left(either, 'cd', { before: 'ab', isFinal: true })).toBe('');
    expect(left(either, 'xd', { before: 'ab', isFinal: true })).toBe('xd');
  });

  test('looks back at what was released', () => {
    const word = { patterns: [/\bkey\b/], maxMatchLength: 4 };
    expect(left(word, 'key', { before: 'mon', isFinal: true })).toBe('key');
    expect(left(word, 'key', { before: 'mon ', isFinal: true })).toBe('');
    const after = { patterns: [/(?<=pin: )\d+/], maxMatchLength: 8 };
    expect(left(after, '42', { before: 'pin: ', isFinal: true })).toBe('');
  });

  test('flags and an earlier use of the expression change nothing', () => {
    const sticky = /\d{4}/gy;
    sticky.lastIndex = 3;
    expect(left({ patterns: [sticky], maxMatchLength: 4 }, 'no 1234', { isFinal: true })).toBe(
      'no ',
    );
    expect(sticky.lastIndex).toBe(3);
    expect(left({ patterns: [/KEY/i], maxMatchLength: 3 }, 'a key', { isFinal: true })).toBe('a ');
  });

  test('one that matches nothing, or within a surrogate pair, comes to an end', () => {
    expect(left({ patterns: [/x*/], maxMatchLength: 1 }, 'abc', { isFinal: true })).toBe('abc');
    expect(left({ patterns: [/\p{Emoji}*/u], maxMatchLength: 2 }, 'b', { before: '👍' })).toBe('');
    expect(
      left({ patterns: [/👍/u], maxMatchLength: 3 }, 'b', { before: '👍', isFinal: true }),
    ).toBe('b');
  });
});

describe('releasable — what cannot be meant', () => {
  test.each<[string, HeldPatterns]>([
    ['a regular expression without a length', { patterns: [/x/] }],
    ['a length of nothing', { patterns: [/x/], maxMatchLength: 0 }],
    ['a fraction', { patterns: [/x/], maxMatchLength: 1.5 }],
    ['not a number', { patterns: [/x/], maxMatchLength: Number.NaN }],
    ['an empty text', { patterns: [''] }],
    ['something else', { patterns: [illegal(5)] }],
  ])('%s is an error, never a release', (_name, held) => {
    expect(() => left(held, 'text')).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });
});
