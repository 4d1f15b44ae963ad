import { describe, expect, test } from 'vitest';
import { fails, readFailOn } from '../../../src/cli/replay/fail-on.ts';
import { type ReplayCount, Totals } from '../../../src/testing/replay/report.ts';

function isExitOne(
  count: Partial<ReplayCount>,
  kinds: string | undefined,
  differences?: { readonly until: number; readonly after: number },
): boolean {
  const failOn = readFailOn(kinds, { compares: differences !== undefined });
  if ('problem' in failOn) throw new Error(failOn.problem);
  const whole = {
    policy: 'p',
    point: 'preToolUse',
    decision: 'block',
    until: 0,
    after: 0,
    ...count,
  };
  const report = new Totals(false).report();
  return fails({ ...report, decisions: [whole], ...(differences && { differences }) }, failOn);
}

describe('what is exit code 1', () => {
  test.each<[is: boolean, count: Partial<ReplayCount>, kinds: string | undefined]>([
    [true, { until: 1 }, undefined],
    [true, { until: 1 }, 'block'],
    [false, { until: 1 }, 'modify'],
    [false, { until: 1 }, 'none'],
    [false, { after: 3 }, undefined],
    [false, { until: 1, shadow: true }, undefined],
    [false, { until: 1, shadow: true }, 'block'],
    [false, { until: 1, decision: 'allow' }, undefined],
    [true, { until: 1, decision: 'allow' }, 'allow'],
    [true, { after: 1, decision: 'failed' }, undefined],
    [true, { after: 1, decision: 'failed' }, 'failed'],
    [false, { until: 1, shadow: true, decision: 'failed' }, 'failed'],
  ])('%s: %j under --fail-on %s', (is, count, kinds) => {
    expect(isExitOne(count, kinds)).toBe(is);
  });

  test('differences until a divergence, not those behind it', () => {
    expect(isExitOne({ until: 1 }, undefined, { until: 1, after: 0 })).toBe(true);
    expect(isExitOne({ until: 1 }, undefined, { until: 0, after: 2 })).toBe(false);
    expect(isExitOne({ until: 1 }, 'difference,block', { until: 0, after: 2 })).toBe(true);
  });
});
