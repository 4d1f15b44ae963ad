import { expect, type MatcherState, type SyncMatcherResult } from 'vitest';
import type { HookFailureKind } from '../errors/hook-error.ts';
import { compare, type Expectation } from './expectation.ts';

/**
 * Matchers for what `ask` gives and for bare decisions. Importing this module registers them. With `.not` or
 * without, a policy that failed meets `toFail` only, and what is no answer, such as a promise, meets none.
 */
interface PolicyMatchers<R> {
  /** A text is the whole reason, a pattern matches a part of it. So for the next two. */
  toBlock(reason?: string | RegExp): R;
  toRequireConfirmation(prompt?: string | RegExp): R;
  toRetry(feedback?: string | RegExp): R;
  /** What the decision puts in place: an input, a text, a request, or the changed fields of a response or result. */
  toModify(to?: unknown): R;
  /** A text is the whole summary, a pattern matches a part of it. */
  toSummarize(text?: string | RegExp): R;
  toAllow(): R;
  toProceed(): R;
  toAccept(): R;
  toKeep(): R;
  /** At `onTextWindow`. */
  toRelease(chars?: number): R;
  /** The next four are the answers of `onError`. */
  toRecover(): R;
  toAbort(): R;
  /** A text is the whole fallback, a pattern matches a part of it. */
  toFallBack(text?: string | RegExp): R;
  toEndSilently(): R;
  /** No opinion: nothing was returned, or `ToolDecision.abstain()`. */
  toAbstain(): R;
  toFail(kind?: HookFailureKind): R;
}

declare global {
  namespace Chai {
    // What vitest 3, 4 and 5 all build their assertions from. Their own `Matchers` have other parameters in each.
    interface Assertion extends PolicyMatchers<void> {}
    interface ExpectStatic extends PolicyMatchers<unknown> {}
  }
}

type Matcher = (this: MatcherState, received: unknown, detail?: unknown) => SyncMatcherResult;

function matcher(is: Expectation): Matcher {
  return function match(received, detail) {
    const { met, message } = compare(received, { is, detail }, (actual, wanted) =>
      this.equals(actual, wanted),
    );
    // What is unclear fails either way: a pass, where the matcher is negated.
    const pass = met === 'unclear' ? this.isNot : met;
    return { pass, message: () => message(this.isNot) };
  };
}

expect.extend({
  toBlock: matcher('block'),
  toRequireConfirmation: matcher('require-confirmation'),
  toRetry: matcher('retry'),
  toModify: matcher('modify'),
  toSummarize: matcher('summarize'),
  toAllow: matcher('allow'),
  toProceed: matcher('proceed'),
  toAccept: matcher('accept'),
  toKeep: matcher('keep'),
  toRelease: matcher('release'),
  toRecover: matcher('recover'),
  toAbort: matcher('abort'),
  toFallBack: matcher('fallback'),
  toEndSilently: matcher('silent'),
  toAbstain: matcher('abstain'),
  toFail: matcher('fail'),
} satisfies { readonly [Name in keyof PolicyMatchers<void>]: Matcher });
