import { ConfigError } from '../errors/config-error.ts';
import type { HookFailureKind } from '../errors/hook-error.ts';
import { lineDiff } from './line-diff.ts';
import { type AnyDecision, type Reading, readAnswer, rewriteOf, show } from './read-answer.ts';

/** What an answer may be expected to be, and what each may be asked in detail. */
export interface Expectations {
  block: [reason?: string | RegExp];
  'require-confirmation': [prompt?: string | RegExp];
  retry: [feedback?: string | RegExp];
  modify: [to?: unknown];
  summarize: [text?: string | RegExp];
  allow: [];
  proceed: [];
  accept: [];
  keep: [];
  /** At `onTextWindow`: how many characters may leave. */
  release: [chars?: number];
  recover: [];
  abort: [];
  fallback: [text?: string | RegExp];
  silent: [];
  /** No opinion, said aloud or not. */
  abstain: [];
  fail: [kind?: HookFailureKind];
}

export type Expectation = keyof Expectations;

/** How one was met. `unclear` ones are neither met nor not met: a negation must not pass on them. */
export interface Verdict {
  readonly met: boolean | 'unclear';
  /** What was expected, negated or not, and what came instead. */
  readonly message: (negated: boolean) => string;
}

interface Row {
  readonly wish: string;
  /** The move that meets it. */
  readonly move?: string;
  /** How a message leads over to the detail. */
  readonly as?: string;
  /** What of the decision the detail is compared with. */
  readonly read?: (decision: AnyDecision) => unknown;
}

const ROWS: { readonly [Name in Expectation]: Row } = {
  block: { wish: 'block', move: 'block', as: 'with the reason', read: (one) => one['reason'] },
  'require-confirmation': {
    wish: 'require confirmation',
    move: 'requires-confirmation',
    as: 'with the prompt',
    read: (one) => one['prompt'],
  },
  retry: {
    wish: 'ask for a retry',
    move: 'retry-with-feedback',
    as: 'with the feedback',
    read: (one) => one['feedback'],
  },
  modify: { wish: 'rewrite the value', move: 'modify', as: 'to', read: rewriteOf },
  summarize: {
    wish: 'summarize',
    move: 'summarize',
    as: 'with the text',
    read: (one) => one['summary'],
  },
  allow: { wish: 'allow', move: 'allow' },
  proceed: { wish: 'let it proceed', move: 'proceed' },
  accept: { wish: 'accept', move: 'accept' },
  keep: { wish: 'keep the value', move: 'keep' },
  release: {
    wish: 'release text',
    move: 'release',
    as: 'of so many characters:',
    read: (one) => one['chars'],
  },
  recover: { wish: 'recover', move: 'recover' },
  abort: { wish: 'abort', move: 'abort' },
  fallback: {
    wish: 'fall back',
    move: 'fallback',
    as: 'to the text',
    read: (one) => one['text'],
  },
  silent: { wish: 'end silently', move: 'silent' },
  abstain: { wish: 'have no opinion', move: 'abstain' },
  fail: { wish: 'fail', as: 'with the kind' },
};

/**
 * Compares what a test got with what it expects. A policy that failed, a cancelled question and a value that is
 * no answer at all meet no expectation and no negated one, so that no test passes because a policy crashed.
 */
export function compare(
  received: unknown,
  expected: { readonly is: Expectation; readonly detail: unknown },
  equals: (actual: unknown, wanted: unknown) => boolean,
): Verdict {
  const reading = readAnswer(received);
  if (!Object.hasOwn(ROWS, expected.is)) throw unknownExpectation(expected.is);
  const { wish, as } = ROWS[expected.is];
  const detail = expected.detail === undefined ? '' : ` ${as} ${show(expected.detail)}`;
  return {
    met: isMet(reading, expected, equals),
    message: (negated) => {
      const wanted = `expected ${reading.who} ${negated ? 'not ' : ''}to ${wish}${detail}`;
      const diff = negated ? undefined : diffOf(reading, expected);
      return `${wanted}, but ${reading.says}${diff === undefined ? '' : `\n\n${diff}`}`;
    },
  };
}

function unknownExpectation(is: unknown): ConfigError {
  const fix = `Use one of: ${Object.keys(ROWS).join(', ')}`;
  const what = `there is no expectation ${show(is)}`;
  return new ConfigError('invalid-input', { where: 'assertAnswer', what, fix });
}

/** Where the policy did what was expected, and put something else in place. */
function diffOf(
  reading: Reading,
  { is, detail }: { readonly is: Expectation; readonly detail: unknown },
): string | undefined {
  const { move, read } = ROWS[is];
  if (reading.type !== 'decided' || reading.decision.type !== move) return undefined;
  if (detail === undefined || detail instanceof RegExp || read === undefined) return undefined;
  const actual = read(reading.decision);
  const isShort = typeof actual !== 'object' && !String(actual).includes('\n');
  return isShort ? undefined : lineDiff(detail, actual);
}

function isMet(
  reading: Reading,
  { is, detail }: { readonly is: Expectation; readonly detail: unknown },
  equals: (actual: unknown, wanted: unknown) => boolean,
): boolean | 'unclear' {
  if (reading.type === 'unclear') return 'unclear';
  if (is === 'fail') {
    return reading.type === 'failed' && (detail === undefined || equals(reading.kind, detail));
  }
  if (reading.type === 'failed') return 'unclear';
  if (reading.type === 'no-opinion') return is === 'abstain';
  const { move, read } = ROWS[is];
  if (reading.decision.type !== move) return false;
  return detail === undefined || read === undefined || fits(read(reading.decision), detail, equals);
}

/** A text is compared as a whole; for a part of it there are patterns. */
function fits(
  actual: unknown,
  wanted: unknown,
  equals: (actual: unknown, wanted: unknown) => boolean,
): boolean {
  // `search` takes no notice of where an earlier match of a sticky or global pattern ended.
  if (wanted instanceof RegExp && typeof actual === 'string') return actual.search(wanted) >= 0;
  return equals(actual, wanted);
}
