import { expect, test } from 'vitest';
import { notRunNow } from '../../src/loop/call-outcomes.ts';
import { timeLeft } from '../../src/loop/child-rules.ts';

/** A turn that has worked for 10 ms before, and since 50; its thread for 100 ms before it. */
const left = (limits: object, tick: number) => {
  const turn = { activeSince: 50, activeMs: 10 };
  const state = { totals: { activeMs: 100 } };
  return timeLeft({ state, turn, rules: { limits } } as never, tick);
};

test('L11: what a subagent has is what is left of the time of the turn and of the thread above it', () => {
  expect(left({}, 150)).toBeUndefined();
  expect(left({ wallTimeMs: 1_000 }, 150)).toBe(890);
  expect(left({ thread: { wallTimeMs: 500 } }, 150)).toBe(300);
  expect(left({ wallTimeMs: 1_000, thread: { wallTimeMs: 500 } }, 150)).toBe(300);
  expect(left({ wallTimeMs: 310, thread: { wallTimeMs: 500 } }, 150)).toBe(200);
  expect(left({ wallTimeMs: 310 }, 1_000)).toBe(0);
});

test('L8: a call that is not run is unknown only where an earlier attempt may have run it', () => {
  const answer = { outcome: 'blocked', isError: true, output: 'no' } as const;
  for (const sideEffects of ['none', 'idempotent', 'once'] as const)
    expect(notRunNow(answer, { sideEffects }, { attempt: 1 })).toBe(answer);
  expect(notRunNow(answer, { sideEffects: 'none' }, { attempt: 2 })).toBe(answer);
  const again = notRunNow(answer, { sideEffects: 'idempotent' }, { attempt: 2 });
  expect(again).toMatchObject({ outcome: 'unknown' });
});
