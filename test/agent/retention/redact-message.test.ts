import { describe, expect, test } from 'vitest';
import { redactJson } from '../../../src/agent/retention/redact-json.ts';
import { redactMessage } from '../../../src/agent/retention/redact-message.ts';
import type { AssistantPart, Message, UserPart } from '../../../src/protocol/message.ts';

const redact = (text: string): string => text.replaceAll('Zoë', '');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const fromUser = (...content: UserPart[]): Message => ({ role: 'user', content });
const fromModel = (...content: AssistantPart[]): Message => ({ role: 'assistant', content });

describe('a redacted message', () => {
  test('that holds nothing to take out is the very same one, signatures included', () => {
    const message = fromModel({
      type: 'reasoning',
      text: 'hm',
      providerMetadata: { a: { signature: 's' } },
    });
    expect(redactMessage(message, redact)).toBe(message);
  });

  test('loses what providers signed or keep where any of its texts was changed', () => {
    const providerMetadata = { a: { signature: 's' } };
    const message = fromModel(
      { type: 'reasoning', text: 'hm', providerMetadata },
      { type: 'text', text: 'hi Zoë', providerMetadata },
    );
    expect(redactMessage(message, redact)).toEqual(
      fromModel({ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'hi ' }),
    );
  });

  test('loses them where they are what held it', () => {
    const message = fromModel({
      type: 'text',
      text: 'hi',
      providerMetadata: { a: { thought: 'Zoë' } },
    });
    expect(redactMessage(message, redact)).toEqual(fromModel({ type: 'text', text: 'hi' }));
  });

  test('has no empty text, which providers refuse', () => {
    expect(redactMessage(fromUser({ type: 'text', text: 'Zoë' }), redact)).toEqual(
      fromUser({ type: 'text', text: '[redacted]' }),
    );
    expect(redactMessage({ role: 'system', content: 'Zoë' }, redact)).toEqual({
      role: 'system',
      content: '[redacted]',
    });
  });

  test.each<[string, UserPart, UserPart]>([
    [
      'text is redacted as the text it is',
      { type: 'file', mediaType: 'text/plain', data: base64('of Zoë'), filename: 'Zoë.txt' },
      { type: 'file', mediaType: 'text/plain', data: base64('of '), filename: '.txt' },
    ],
    [
      'another kind stays where nothing was taken out',
      { type: 'file', mediaType: 'image/png', data: base64('Zoë') },
      { type: 'file', mediaType: 'image/png', data: base64('Zoë') },
    ],
    [
      'an address that was changed is a file no more',
      { type: 'file', mediaType: 'image/png', url: 'https://a.example/Zoë' },
      { type: 'text', text: '[file removed: image/png]' },
    ],
  ])('a file of %s', (_what, part, expected) => {
    expect(redactMessage(fromUser(part), redact)).toEqual(fromUser(expected));
  });

  test('a file whose bytes came back changed is a file no more', () => {
    const part: UserPart = { type: 'file', mediaType: 'image/png', data: 'AAAA' };
    expect(redactMessage(fromUser(part), () => 'AAAB')).toEqual(
      fromUser({ type: 'text', text: '[file removed: image/png]' }),
    );
  });
});

describe('redacted JSON', () => {
  test('numbers are given as their text, and stay numbers where it stays', () => {
    const hide = (text: string) => text.replace('4711', '#');
    expect(redactJson({ a: 4711, b: 12, c: -0.5, d: true, e: null }, hide)).toEqual({
      a: '#',
      b: 12,
      c: -0.5,
      d: true,
      e: null,
    });
  });

  test('keys that become one are numbered, and nothing is dropped', () => {
    expect(
      redactJson({ a: 1, b: 2, c: [{ d: 3 }] }, (text) => (/[a-z]/.test(text) ? 'k' : text)),
    ).toEqual({
      k: 1,
      'k (2)': 2,
      'k (3)': [{ k: 3 }],
    });
  });

  test('a key that becomes that of a prototype is a key', () => {
    const value = redactJson({ a: 1 }, (text) => (text === 'a' ? '__proto__' : text));
    expect(Object.entries(value as object)).toEqual([['__proto__', 1]]);
  });
});
