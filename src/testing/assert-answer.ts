import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import { compare, type Expectation, type Expectations } from './expectation.ts';

/**
 * Asserts what a policy answered, for test runners without matchers. Takes what `ask` gave, or what a hook
 * returned. A reason, prompt or feedback is compared as a whole text, or with a pattern; a rewrite with what the
 * decision puts in place. Throws `AssertionError`; a policy that failed meets nothing but `fail`.
 *
 * @example
 * assertAnswer(await ask(new RefundLimit()).preToolUse(call), 'block', /manager/);
 */
export function assertAnswer<Name extends Expectation>(
  answer: unknown,
  expected: Name,
  ...[detail]: Expectations[Name]
): void {
  const verdict = compare(answer, { is: expected, detail }, isDeepStrictEqual);
  if (verdict.met === true) return;
  throw new AssertionError({
    message: verdict.message(false),
    actual: answer,
    expected: detail ?? expected,
    stackStartFn: assertAnswer,
  });
}
