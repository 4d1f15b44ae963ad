import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deadlines } from '../../src/hooks/deadlines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const make = (now: () => number = () => performance.now()) => {
  const passed: string[] = [];
  const deadlines = new Deadlines(now);
  const limit = (name: string) => ({ passed: () => void passed.push(name) });
  return { passed, deadlines, limit };
};

describe('the deadlines of one run', () => {
  test('pass in the order of their time, not of their making', () => {
    const { passed, deadlines, limit } = make();
    deadlines.add(limit('late'), 50);
    deadlines.add(limit('soon'), 10);
    vi.advanceTimersByTime(9);
    expect(passed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(passed).toEqual(['soon']);
    vi.advanceTimersByTime(40);
    expect(passed).toEqual(['soon', 'late']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a cancelled one never passes, and costs no timer of its own', () => {
    const { passed, deadlines, limit } = make();
    const timer = vi.spyOn(globalThis, 'setTimeout');
    for (let i = 0; i < 100; i += 1) {
      const one = limit(`${i}`);
      deadlines.add(one, 10);
      deadlines.cancel(one);
    }
    expect(timer).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(passed).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('one added while others pass still passes', () => {
    const { passed, deadlines, limit } = make();
    deadlines.add({ passed: () => deadlines.add(limit('second'), 5) }, 10);
    vi.advanceTimersByTime(15);
    expect(passed).toEqual(['second']);
  });

  test('count from when their time began, not from when they are added', () => {
    const { passed, deadlines, limit } = make();
    const since = performance.now();
    vi.advanceTimersByTime(4);
    deadlines.add(limit('a'), 10, since);
    vi.advanceTimersByTime(5);
    expect(passed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(passed).toEqual(['a']);
  });

  test('one that is cancelled by another that passes at the same time never passes', () => {
    const { passed, deadlines, limit } = make();
    const second = limit('second');
    deadlines.add({ passed: () => deadlines.cancel(second) }, 10);
    deadlines.add(second, 10);
    deadlines.add(limit('third'), 10);
    vi.advanceTimersByTime(100);
    expect(passed).toEqual(['third']);
  });

  test('pass even when the clock stands still', () => {
    const { passed, deadlines, limit } = make(() => 0);
    deadlines.add(limit('a'), 10);
    vi.advanceTimersByTime(10);
    expect(passed).toEqual(['a']);
  });

  test('none passes after close, and none can be added', () => {
    const { passed, deadlines, limit } = make();
    deadlines.add(limit('a'), 10);
    deadlines.close();
    deadlines.add(limit('b'), 10);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100);
    expect(passed).toEqual([]);
  });
});
