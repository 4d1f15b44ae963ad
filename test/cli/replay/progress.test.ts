import { expect, test } from 'vitest';
import { Progress } from '../../../src/cli/replay/progress.ts';

function shown(totalBytes: number): {
  readonly progress: Progress;
  readonly written: string[];
  readonly at: (ms: number) => void;
} {
  let now = 0;
  const written: string[] = [];
  const write = (text: string): void => void written.push(text.replace('\r\u001b[K', '<clear>'));
  const at = (ms: number): void => {
    now = ms;
  };
  return { progress: new Progress({ write, now: () => now }, totalBytes), written, at };
}

test('a bar shows how much is read, ten times a second at most', () => {
  const { progress, written, at } = shown(200);
  progress.next();
  at(99);
  progress.read(100);
  progress.next();
  at(100);
  progress.next();
  expect(written).toEqual([
    '<clear>[........................] 0% 1 conversations',
    '<clear>[############............] 50% 3 conversations',
  ]);
});

test('it makes room once, and comes back', () => {
  const { progress, written } = shown(200);
  progress.clear();
  progress.next();
  progress.clear();
  progress.clear();
  progress.read(500);
  progress.next();
  expect(written).toEqual([
    expect.stringContaining('0% 1'),
    '<clear>',
    '<clear>[########################] 100% 2 conversations',
  ]);
});

test('without sizes there is no bar, and without a terminal nothing', () => {
  const { progress, written } = shown(0);
  progress.next();
  expect(written).toEqual(['<clear>1 conversations']);
  const silent = new Progress({ now: () => 0 }, 100);
  silent.next();
  silent.clear();
});
