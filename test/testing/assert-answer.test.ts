import { AssertionError } from 'node:assert';
import { expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { ask, assertAnswer, toolInvocation } from '../../src/testing/index.ts';
import { RefundLimit, refund } from './policies.ts';

const blocked = await ask(new RefundLimit()).preToolUse(toolInvocation(refund, { amount: 900 }));

test('an answer that is as expected passes', () => {
  assertAnswer(blocked, 'block');
  assertAnswer(blocked, 'block', 'refunds end at 500');
  assertAnswer(blocked, 'block', /500/);
  assertAnswer(ToolDecision.modify({ amount: 1 }), 'modify', { amount: 1 });
  assertAnswer(undefined, 'abstain');
});

test('an expectation that there is not is refused with those there are', () => {
  const check = () => Reflect.apply(assertAnswer, undefined, [blocked, 'blocked']);
  expect(check).toThrow(/there is no expectation 'blocked'. Use one of: .*block, /);
});

test.each<[string, () => void, string]>([
  ['another decision', () => assertAnswer(blocked, 'allow'), 'to allow, but it blocked'],
  ['another reason', () => assertAnswer(blocked, 'block', 'x'), "with the reason 'x', but"],
  [
    'another rewrite',
    () => assertAnswer(ToolDecision.modify({ amount: 1 }), 'modify', { amount: 2 }),
    'to rewrite the value to { amount: 2 }, but it rewrote the value to { amount: 1 }',
  ],
  ['a promise', () => assertAnswer(Promise.resolve(), 'abstain'), 'await it first'],
])('%s is an assertion error', (_, check, message) => {
  expect(check).toThrow(AssertionError);
  expect(check).toThrow(message);
});

test('a policy that failed meets nothing but `fail`', async () => {
  class Broken extends RefundLimit {
    override preToolUse(): never {
      throw new Error('broken');
    }
  }
  const failed = await ask(new Broken()).preToolUse(toolInvocation(refund, { amount: 1 }));
  assertAnswer(failed, 'fail', 'threw');
  expect(() => assertAnswer(failed, 'block')).toThrow(
    /Broken at preToolUse to block, but it failed/,
  );
  expect(() => assertAnswer(failed, 'abstain')).toThrow(AssertionError);
});

test('the error holds what came and what was expected', () => {
  try {
    assertAnswer(blocked, 'allow');
  } catch (error) {
    expect(error).toMatchObject({ actual: blocked, expected: 'allow' });
    return;
  }
  throw new Error('it passed');
});
