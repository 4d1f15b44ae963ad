import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldToolVotes, joinFeedback, MAX_FEEDBACK_CHARS } from '../../src/decisions/fold.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';

const moves = {
  allow: ToolDecision.allow(),
  modify: ToolDecision.modify({ a: 1 }),
  block: ToolDecision.block('no'),
  confirm: ToolDecision.requiresConfirmation('sure?'),
  retry: ToolDecision.retryWithFeedback('again'),
  abstain: ToolDecision.abstain(),
};
type Name = keyof typeof moves;
const names = Object.keys(moves) as Name[];

/** Row: what the first policy says; column: what the second says. */
const table: Record<Name, Record<Name, string>> = {
  allow: {
    allow: 'run',
    modify: 'run',
    block: 'block',
    confirm: 'confirm',
    retry: 'retry-with-feedback',
    abstain: 'run',
  },
  modify: {
    allow: 'run',
    modify: 'no-opinion',
    block: 'block',
    confirm: 'confirm',
    retry: 'retry-with-feedback',
    abstain: 'no-opinion',
  },
  block: {
    allow: 'block',
    modify: 'block',
    block: 'block',
    confirm: 'block',
    retry: 'block',
    abstain: 'block',
  },
  confirm: {
    allow: 'confirm',
    modify: 'confirm',
    block: 'block',
    confirm: 'confirm',
    retry: 'retry-with-feedback',
    abstain: 'confirm',
  },
  retry: {
    allow: 'retry-with-feedback',
    modify: 'retry-with-feedback',
    block: 'block',
    confirm: 'retry-with-feedback',
    retry: 'retry-with-feedback',
    abstain: 'retry-with-feedback',
  },
  abstain: {
    allow: 'run',
    modify: 'no-opinion',
    block: 'block',
    confirm: 'confirm',
    retry: 'retry-with-feedback',
    abstain: 'no-opinion',
  },
};

const fold = (list: readonly Name[]) =>
  foldToolVotes(list.map((name, index) => ({ policy: `p${index}`, decision: moves[name] })));

describe('tool votes — fold', () => {
  test('no votes are no opinion', () => {
    expect(foldToolVotes([])).toEqual({ type: 'no-opinion' });
  });

  test.each(
    names.flatMap((first) =>
      names.map((second) => ({ first, second, verdict: table[first][second] })),
    ),
  )('$first and $second make $verdict', ({ first, second, verdict }) => {
    expect(fold([first, second]).type).toBe(verdict);
  });

  test('the order of the policies never changes the type of the verdict', () => {
    const lists = fc
      .array(fc.constantFrom(...names), { maxLength: 6 })
      .chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      );
    fc.assert(
      fc.property(lists, ([list, shuffled]) => {
        expect(fold(shuffled).type).toBe(fold(list).type);
      }),
    );
  });

  test('one more policy never makes a verdict milder than its own', () => {
    const severity = ['no-opinion', 'run', 'confirm', 'retry-with-feedback', 'block'];
    const vote = fc.constantFrom(...names);
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 5 }), vote, (list, more) => {
        const before = severity.indexOf(fold(list).type);
        const alone = severity.indexOf(fold([more]).type);
        expect(severity.indexOf(fold([...list, more]).type)).toBe(Math.max(before, alone));
      }),
    );
  });

  test('the first block gives the reason', () => {
    const votes = [
      { policy: 'a', decision: ToolDecision.block('first') },
      { policy: 'b', decision: ToolDecision.block('second') },
    ];
    expect(foldToolVotes(votes)).toEqual({ type: 'block', policy: 'a', reason: 'first' });
  });

  test('all feedback and all prompts are kept, in the order of the policies', () => {
    expect(fold(['retry', 'allow', 'retry'])).toEqual({
      type: 'retry-with-feedback',
      feedback: [
        { policy: 'p0', feedback: 'again' },
        { policy: 'p2', feedback: 'again' },
      ],
    });
    const confirm = foldToolVotes([
      { policy: 'a', version: '2', decision: moves.confirm },
      { policy: 'b', decision: moves.confirm },
    ]);
    expect(confirm).toEqual({
      type: 'confirm',
      requirements: [
        { policy: 'a', version: '2', decision: moves.confirm },
        { policy: 'b', decision: moves.confirm },
      ],
    });
  });
});

describe('feedback of several policies', () => {
  test('is named and joined in order', () => {
    expect(
      joinFeedback([
        { policy: 'a', feedback: 'x' },
        { policy: 'b', feedback: 'y' },
      ]),
    ).toBe('[a] x\n[b] y');
  });

  test('is cut, and a cut character leaves no half behind', () => {
    const feedback = `${'x'.repeat(MAX_FEEDBACK_CHARS - 1)}😀 and more`;
    const joined = joinFeedback([{ policy: 'a', feedback }]);
    expect(joined.isWellFormed()).toBe(true);
    expect(joined).toHaveLength('[a] '.length + MAX_FEEDBACK_CHARS);
  });
});
