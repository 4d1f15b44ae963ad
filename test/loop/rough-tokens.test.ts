import type { Message } from 'agent-hooks';
import { expect, test } from 'vitest';
import { roughTokens } from '../../src/loop/rough-tokens.ts';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const frame = roughTokens([user('')]);

test('one token for every four bytes, in whatever script', () => {
  expect(roughTokens([user('a'.repeat(400))]) - frame).toBe(100);
  expect(roughTokens([user('é'.repeat(200))]) - frame).toBe(100);
  expect(roughTokens([user('語'.repeat(400))]) - frame).toBe(300);
  expect(roughTokens([user('😀'.repeat(100))]) - frame).toBe(100);
});

test('a file counts a thousand, whatever its size', () => {
  const file = { type: 'file', mediaType: 'image/png', data: 'A'.repeat(1_000_000) } as const;
  const one = roughTokens([{ role: 'user', content: [file] }]);
  expect(one).toBeGreaterThan(1_000);
  expect(one).toBeLessThan(1_020);
});

test('the sum of several messages is that of each', () => {
  expect(roughTokens([user('one'), user('two')])).toBe(
    roughTokens([user('one')]) + roughTokens([user('two')]),
  );
  expect(roughTokens([])).toBe(0);
});
