import { afterEach, expect, test, vi } from 'vitest';
import { paint } from '../../../examples/airline/narrate.ts';

const { isTTY } = process.stdout;

afterEach(() => {
  process.stdout.isTTY = isTTY;
  vi.unstubAllEnvs();
});

test('a terminal gets colours', () => {
  process.stdout.isTTY = true;
  vi.stubEnv('NO_COLOR', undefined);
  expect(paint('red', 'blocked')).toBe('\u001b[31mblocked\u001b[39m');
});

test('a terminal of someone who set NO_COLOR does not', () => {
  process.stdout.isTTY = true;
  vi.stubEnv('NO_COLOR', '1');
  expect(paint('red', 'blocked')).toBe('blocked');
});

test('a pipe does not', () => {
  process.stdout.isTTY = false;
  vi.stubEnv('NO_COLOR', undefined);
  expect(paint('red', 'blocked')).toBe('blocked');
});
