import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readLines } from '../../../src/testing/replay/read-lines.ts';
import { collect, fileOf } from './transcripts.ts';

const read = (text: string, maxBytes = 100) =>
  collect(readLines(fileOf(text), { maxBytes, onBytes: () => undefined }));

test('lines are numbered from 1, the last one needs no end, and blank ones count', async () => {
  expect(await read('one\n\nthree\r\nvier ä')).toEqual([
    { number: 1, text: 'one' },
    { number: 2, text: '' },
    { number: 3, text: 'three\r' },
    { number: 4, text: 'vier ä' },
  ]);
  expect(await read('')).toEqual([]);
});

test('a line is measured in bytes, and the next one is read', async () => {
  expect(await read(`${'ä'.repeat(50)}\n${'ä'.repeat(51)}\nnext\n`)).toEqual([
    { number: 1, text: 'ä'.repeat(50) },
    { number: 2, text: undefined },
    { number: 3, text: 'next' },
  ]);
});

test('characters and lines that pieces of the file cut in two are whole', async () => {
  const long = 'ä'.repeat(300_000);
  expect(await read(`x${long}\n${long}`, 1_000_000)).toEqual([
    { number: 1, text: `x${long}` },
    { number: 2, text: long },
  ]);
});

test('of a line that is too long nothing is kept', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const file = fileOf(`${'x'.repeat(40_000_000)}\n`);
  const held: number[] = [];
  let bytes = 0;
  const onBytes = (read: number): void => {
    bytes += read;
    if (bytes < 39_000_000) return;
    collectGarbage();
    held.push(process.memoryUsage().arrayBuffers);
  };
  const lines = await collect(readLines(file, { maxBytes: 1000, onBytes }));
  expect(lines).toEqual([{ number: 1, text: undefined }]);
  expect(Math.min(...held)).toBeLessThan(20_000_000);
}, 60_000);
