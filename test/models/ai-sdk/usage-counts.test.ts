import { expect, test } from 'vitest';
import { readUsage } from '../../../src/models/ai-sdk/read-finish.ts';

test.each([
  [12.4, 12],
  [1e308, 0],
  [Number.NaN, 0],
  [-3, 0],
  ['7', 0],
])('a count of %j tokens is read as %d', (given, read) => {
  expect(readUsage({ usage: { inputTokens: given, outputTokens: 1 } })).toEqual({
    inputTokens: read,
    outputTokens: 1,
  });
});
