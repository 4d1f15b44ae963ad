import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from '../../src/hooks/deadlines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a timer that fires late, for a limit that was taken back, lets every limit pass that is due by then', () => {
  let now = 0;
  const passed: string[] = [];
  const deadlines = new Deadlines(() => now);
  const first = { passed: () => void passed.push('first') };
  deadlines.add(first, 10);
  deadlines.cancel(first);
  deadlines.add({ passed: () => void passed.push('second') }, 12);
  deadlines.add({ passed: () => void passed.push('third') }, 50);
  // Something has held the process for 30 ms: an answer that comes in the same moment is late.
  now = 30;
  vi.advanceTimersByTime(10);
  expect(passed).toEqual(['second']);
});
