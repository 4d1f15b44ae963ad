import { expect, test } from 'vitest';
import { mayBeBilled } from '../../src/loop/may-be-billed.ts';

const unsent = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
const deep = (levels: number): Error =>
  levels === 0 ? unsent : new Error('wrapped', { cause: deep(levels - 1) });

test.each([
  ['every attempt was never sent', new AggregateError([unsent, unsent]), false],
  ['one of them may have been', new AggregateError([unsent, new Error('cut off')]), true],
  ['nobody says of which attempts', new AggregateError([]), true],
  ['the reason is near', deep(8), false],
  ['the reason is too deep to be looked for', deep(9), true],
  ['it is no error', 'ECONNREFUSED', true],
  ['it is nothing', null, true],
])('L13: in doubt a failed call is billed: %s', (_what, error, billed) => {
  expect(mayBeBilled(error)).toBe(billed);
});

test('L13: a call that ends with what cannot be looked at is billed, and one that is its own cause', () => {
  const hostile = new Proxy(unsent, {
    get: () => {
      throw new TypeError('no');
    },
  });
  expect(mayBeBilled(hostile)).toBe(true);
  const round = new Error('round');
  round.cause = round;
  expect(mayBeBilled(round)).toBe(true);
});
