import { type Message, textOf } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { ThreadHistory } from '../../src/loop/thread-history.ts';

const messages = (from: number, to: number): Message[] =>
  Array.from({ length: to - from }, (_, index) => ({
    role: 'user',
    content: [{ type: 'text', text: `m${from + index}` }],
  }));
const read = (list: readonly Message[]) =>
  list.map((message) => textOf(message).replace(/^\[A summary.*\n/, 'S:'));
const summary = (upTo: number) => ({ text: `first ${upTo}`, upTo });

describe('L10: positions are those of the whole thread', () => {
  test('without a summary', () => {
    const history = new ThreadHistory(undefined, { from: 0, messages: messages(0, 4) });
    expect([history.count, history.upTo]).toEqual([4, 0]);
    expect(read(history.after(3))).toEqual(['m3']);
    expect(read(history.after(9))).toEqual([]);
    history.append(messages(4, 5));
    expect(history.count).toBe(5);
    expect(read(history.context)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  });

  test('with one that was loaded', () => {
    const history = new ThreadHistory(summary(10), { from: 10, messages: messages(10, 13) });
    expect([history.count, history.upTo]).toEqual([13, 10]);
    expect(read(history.context)).toEqual(['S:first 10', 'm10', 'm11', 'm12']);
    expect(read(history.after(11))).toEqual(['m11', 'm12']);
    expect(read(history.between(messages(0, 1), messages(1, 2)))).toEqual([
      'm0',
      'S:first 10',
      'm10',
      'm11',
      'm12',
      'm1',
    ]);
  });

  test('with an open turn that began among what the summary stands for', () => {
    const history = new ThreadHistory(summary(10), { from: 7, messages: messages(7, 12) });
    expect(history.count).toBe(12);
    expect(read(history.context)).toEqual(['S:first 10', 'm10', 'm11']);
    expect(read(history.after(7))).toEqual(['m7', 'm8', 'm9', 'm10', 'm11']);
    expect(read(history.after(9))).toEqual(['m9', 'm10', 'm11']);
  });

  test('with one after the other, adopted as they come', () => {
    const history = new ThreadHistory(undefined, { from: 0, messages: messages(0, 6) });
    const before = history.context;
    history.adopt(summary(2));
    history.adopt(summary(5));
    expect([history.count, history.upTo]).toEqual([6, 5]);
    expect(read(history.context)).toEqual(['S:first 5', 'm5']);
    expect(read(history.after(1))).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    // Whoever has a view keeps it as it was.
    expect(before).toHaveLength(6);
    expect(Object.isFrozen(history.context)).toBe(true);
  });
});
