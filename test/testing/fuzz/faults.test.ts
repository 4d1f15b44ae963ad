import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import type { AgentHooks } from '../../../src/hooks/agent-hooks.ts';
import {
  assertHealthy,
  type FaultKind,
  type FuzzPoint,
  type FuzzReport,
  fuzzPolicy,
} from '../../../src/testing/fuzz.ts';
import * as faulty from './policies/faulty.ts';

const TIME_MS = 5_000;
const module = new URL('./policies/faulty.ts', import.meta.url);

interface Planted {
  readonly policy: AgentHooks;
  readonly point: FuzzPoint;
  readonly kind: FaultKind;
  /** The most characters that the smallest input may have. */
  readonly within: number;
}

const planted: readonly (readonly [string, Planted])[] = [
  ['throws on unicode', at('onUserMessage', new faulty.ThrowsOnUnicode(), 'throws', 60)],
  ['hangs on long input', at('onUserMessage', new faulty.HangsOnLongInput(), 'hangs', 5_100)],
  ['changes its input', at('preToolUse', new faulty.Mutates(), 'mutates', 400)],
  ['tries to, in sloppy mode', at('preToolUse', faulty.mutatesQuietly, 'mutates', 400)],
  ['answers differently', at('onUserMessage', new faulty.AnswersDifferently(), 'unstable', 60)],
  ['leaks its input', at('onUserMessage', new faulty.LeaksInput(), 'leaks-input', 140)],
  [
    'goes back and forth',
    at('onUserMessage', new faulty.CatastrophicPattern(), 'slow-growth', 120),
  ],
  ['forgets to return', at('preToolUse', new faulty.ForgetsToReturn(), 'forgets-to-return', 500)],
  ['gives no JSON', at('preToolUse', new faulty.NotJson(), 'not-json', 400)],
  ['is late', at('onUserMessage', new faulty.Late(), 'late', 60)],
  [
    'blocks everything',
    at('onUserMessage', new faulty.BlocksEverything(), 'blocks-everything', 60),
  ],
  ['is never done', at('onUserMessage', new faulty.RewritesItsRewrite(), 'unsettled-rewrite', 60)],
  ['gives no decision', at('onUserMessage', new faulty.Illegal(), 'illegal', 140)],
];

describe('fuzzPolicy finds a policy that', () => {
  test.each(planted)(
    '%s',
    async (_, { policy, point, kind, within }) => {
      const report = await fuzzPolicy(policy, point);
      expect(
        report.faults.map((fault) => fault.kind),
        report.text,
      ).toEqual([kind]);
      const [fault] = report.faults;
      expect(JSON.stringify(fault?.input.payload).length).toBeLessThanOrEqual(within);
      expect(report.text).toContain(`1. ${kind}: ${fault?.says}`);
      expect(report.text).toContain(
        `fuzzPolicy(policy, '${point}', { ...sameOptions, seed: ${report.seed} })`,
      );
      expect(report.elapsedMs).toBeLessThan(TIME_MS + 1_000);
      expect(JSON.parse(JSON.stringify(report))).toEqual(report);
      expect(() => assertHealthy(report)).toThrow(AssertionError);
    },
    20_000,
  );
});

describe('in a thread of its own', () => {
  test('a pattern that goes back and forth is found as in this one', async () => {
    const policy = { module, export: 'CatastrophicPattern' };
    const report = await fuzzPolicy(policy, 'onUserMessage', { timeMs: 4_000 });
    expect(kindsOf(report)).toEqual(['slow-growth']);
    expect(report.policy).toBe('CatastrophicPattern');
  }, 20_000);

  test('a call that never comes back ends its thread, and the input is cut as far as it may be', async () => {
    const endless = new URL('./policies/endless.ts', import.meta.url);
    const policy = { module: endless, export: 'endless' };
    const report = await fuzzPolicy(policy, 'onUserMessage', { timeMs: 8_000 });
    expect(kindsOf(report)).toEqual(['hangs']);
    const text = String(Object(report.faults[0]?.input.payload).text);
    expect(text.length).toBeGreaterThan(200);
    expect(text.length).toBeLessThan(400);
  }, 30_000);

  test('a policy that ends its thread is found, and this process goes on', async () => {
    const ends = new URL('./policies/ends-its-thread.ts', import.meta.url);
    const report = await fuzzPolicy({ module: ends, export: 'ends' }, 'onUserMessage');
    expect(kindsOf(report)).toEqual(['crashes']);
    expect(report.faults[0]?.says).toContain('code 7');
  }, 20_000);

  test.each([
    ['nothing of that name', 'none', /exports no policy.*It exports: .*Late/],
    ['a policy without that point', 'Mutates', /does not implement 'onUserMessage'/],
  ])(
    '%s is refused',
    async (_, name, message) => {
      await expect(fuzzPolicy({ module, export: name }, 'onUserMessage')).rejects.toThrow(message);
    },
    20_000,
  );
});

describe('a report', () => {
  test('comes again with its seed', async () => {
    const [first, again] = [await fuzz(41), await fuzz(41)];
    expect(again.faults.map(({ input }) => input)).toEqual(first.faults.map(({ input }) => input));
    expect(again.decisions).toEqual(first.decisions);
  }, 20_000);

  test('leaves out what is allowed', async () => {
    const report = await fuzzPolicy(new faulty.AnswersDifferently(), 'onUserMessage', {
      allow: ['unstable'],
    });
    expect(report.ok).toBe(true);
  }, 20_000);
});

test('says so where the policy had an opinion on nothing', async () => {
  const report = await fuzzPolicy({ name: 'idle', preToolUse: () => undefined }, 'preToolUse', {
    runs: 20,
  });
  expect(report.text).toMatch(/had no opinion on any of them. Give `tools` or `examples`/);
}, 20_000);

test.each([
  [{ timeMs: 5 }, /`timeMs`/],
  [{ runs: 0 }, /`runs`/],
  [{ seed: 0.5 }, /`seed`/],
])('an option that cannot be used is refused: %o', async (options, message) => {
  const fuzzed = fuzzPolicy(new faulty.Late(), 'onUserMessage', options);
  await expect(fuzzed).rejects.toThrow(message);
});

function at(point: FuzzPoint, policy: AgentHooks, ...[kind, within]: [FaultKind, number]): Planted {
  return { policy, point, kind, within };
}

function fuzz(seed: number): Promise<FuzzReport> {
  return fuzzPolicy(new faulty.ThrowsOnUnicode(), 'onUserMessage', { seed, runs: 60 });
}

function kindsOf({ faults }: FuzzReport): readonly FaultKind[] {
  return faults.map(({ kind }) => kind);
}
