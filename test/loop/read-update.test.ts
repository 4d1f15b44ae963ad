import { expect, test } from 'vitest';
import { readUpdate } from '../../src/loop/read-update.ts';

const good = { type: 'ready', operationId: 'o', revision: 2, snapshot: { euros: 5 } };
const before = readUpdate({ type: 'progress', operationId: 'o', revision: 2 }, undefined);

const INVALID = expect.objectContaining({
  name: 'OperationError',
  code: 'operation-invalid-update',
});

test('L12: what a tool says of its operation is read once, and cannot change after that', () => {
  const mine = structuredClone(good);
  const read = readUpdate(mine, before);
  mine.snapshot.euros = 500;
  expect(read).toMatchObject({ operationId: 'o', state: { revision: 2, snapshot: { euros: 5 } } });
  expect(Object.isFrozen(Reflect.get(read.told, 'snapshot'))).toBe(true);
  expect(read.told).toEqual(good);
  expect(readUpdate({ type: 'expired', operationId: 'o' }, before)).toMatchObject({
    type: 'expired',
  });
});

test.each([
  ['nothing', undefined],
  ['a text', 'ready'],
  ['a list', [good]],
  [
    'what cannot be read',
    {
      get type() {
        throw new TypeError('no');
      },
    },
  ],
  ['no type', { ...good, type: undefined }],
  ['another type', { ...good, type: 'done' }],
  ['no operation', { ...good, operationId: undefined }],
  ['an operation without a name', { ...good, operationId: '' }],
  ['no revision', { ...good, revision: undefined }],
  ['a revision below 0', { ...good, revision: -1 }],
  ['half a revision', { ...good, revision: 2.5 }],
  ['a message that is no text', { ...good, message: 1 }],
  ['a time that is none', { ...good, expiresAt: 'soon' }],
])('L12: %s is no update, the first or another', (_what, given) => {
  expect(() => readUpdate(given, undefined)).toThrow(INVALID);
  expect(() => readUpdate(given, before)).toThrow(INVALID);
});

test.each([
  ['another operation', { ...good, operationId: 'other' }],
  ['a revision of before', { ...good, revision: 1 }],
])('L12: %s is no update of the one there was', (_what, given) => {
  expect(readUpdate(given, undefined)).toMatchObject({ type: 'ready' });
  expect(() => readUpdate(given, before)).toThrow(INVALID);
});
