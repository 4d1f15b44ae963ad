import { expect, test } from 'vitest';
import { describeThrown } from '../../src/internal/describe-thrown.ts';

const trap = (): never => {
  throw new Error('a trap');
};

test('an error is described by its name and message', () => {
  expect(describeThrown(new RangeError('too far'))).toEqual({
    name: 'RangeError',
    text: 'too far',
  });
});

test.each([
  ['nothing', undefined],
  ['a text', 'hunter2'],
  ['an object without a prototype', Object.create(null)],
  ['an object that cannot be looked at', new Proxy({}, { getPrototypeOf: trap, get: trap })],
  ['an error that cannot be read', new Proxy(new Error('x'), { get: trap })],
  ['an error with half a character', Object.assign(new Error('\ud800'), { name: '\ud800' })],
  ['an error whose members are no texts', Object.assign(new Error(), { name: 1, message: {} })],
])('%s is described in well-formed texts', (_name, thrown) => {
  const { name, text } = describeThrown(thrown);
  expect([name, text].every((one) => one !== '' && one.isWellFormed())).toBe(true);
  expect(text === thrown).toBe(false);
});
