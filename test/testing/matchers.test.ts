import { describe, expect, test } from 'vitest';
import { ErrorDecision } from '../../src/decisions/error-decision.ts';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import { ResponseDecision } from '../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../src/decisions/tool-result-decision.ts';
import { WindowDecision } from '../../src/decisions/window-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { ask, type PolicyAnswer, toolInvocation, user } from '../../src/testing/index.ts';
import { illegal, RefundLimit, refund } from './policies.ts';
import '../../src/testing/vitest.ts';

const allow = await answer(() => ToolDecision.allow());
const block = await answer(() => ToolDecision.block('too much'));
const confirm = await answer(() => ToolDecision.requiresConfirmation('Refund 5?'));
const retry = await answer(() => ToolDecision.retryWithFeedback('ask first'));
const modify = await answer(() => ToolDecision.modify({ amount: 1 }));
const abstain = await answer(() => ToolDecision.abstain());
const silent = await answer(() => undefined);
const threw = await answer(() => {
  throw new TypeError('no such field');
});
const cancelled = await answer(() => ToolDecision.allow(), { signal: AbortSignal.abort() });

describe('matchers — a decision', () => {
  test('each matcher takes the answer it names, and no other', () => {
    const matchers = {
      allow: (received: unknown) => expect(received).toAllow(),
      block: (received: unknown) => expect(received).toBlock(),
      confirm: (received: unknown) => expect(received).toRequireConfirmation(),
      retry: (received: unknown) => expect(received).toRetry(),
      modify: (received: unknown) => expect(received).toModify(),
      abstain: (received: unknown) => expect(received).toAbstain(),
    };
    const answers = { allow, block, confirm, retry, modify, abstain };
    for (const [name, match] of Object.entries(matchers)) {
      const passed = Object.entries(answers).filter(([, received]) =>
        passes(() => match(received)),
      );
      expect(passed.map(([one]) => one)).toEqual([name]);
    }
  });

  test('a bare decision is taken as well as the answer of `ask`', () => {
    expect(ToolDecision.block('no')).toBlock('no');
    expect(MessageDecision.proceed()).toProceed();
    expect(ResponseDecision.accept()).toAccept();
    expect(ToolResultDecision.keep()).toKeep();
    expect(MessageDecision.proceed()).not.toAccept();
    expect(ToolResultDecision.keep()).not.toProceed();
    expect(new RefundLimit().preToolUse(toolInvocation(refund, { amount: 1 }))).toAllow();
  });

  test('no opinion is the same said aloud or not', () => {
    expect(silent).toAbstain();
    expect(undefined).toAbstain();
    expect(silent).not.toBlock();
    expect(allow).not.toAbstain();
  });

  test('a text is the whole reason, a pattern a part of it', () => {
    expect(block).toBlock('too much');
    expect(block).toBlock(/much/g);
    expect(block).toBlock(/much/g);
    expect(block).toBlock(expect.stringContaining('too'));
    expect(block).not.toBlock('too');
    expect(confirm).toRequireConfirmation('Refund 5?');
    expect(confirm).not.toRequireConfirmation(/6/);
    expect(retry).toRetry(/first/);
    expect(retry).not.toRetry('ask');
  });

  test('a rewrite is compared with what the decision puts in place', () => {
    expect(modify).toModify({ amount: 1 });
    expect(modify).toModify(expect.objectContaining({ amount: expect.any(Number) }));
    expect(modify).not.toModify({ amount: 2 });
    expect(modify).not.toModify({ amount: 1, note: 'x' });
    expect(MessageDecision.modify('hi')).toModify('hi');
    expect(MessageDecision.modify('')).not.toModify('hi');
    expect(ResponseDecision.modify({ text: 'hi' })).toModify({ text: 'hi' });
    expect(ToolResultDecision.modify({ output: 1 })).toModify({ output: 1 });
    expect(RequestDecision.modify({ messages: [user('hi')] })).toModify({
      messages: [user('hi')],
    });
  });

  test('what is said at windows and of errors', () => {
    expect(WindowDecision.release(3)).toRelease();
    expect(WindowDecision.release(3)).toRelease(3);
    expect(WindowDecision.release(3)).not.toRelease(2);
    expect(ErrorDecision.fallback('Sorry, no.')).toFallBack(/sorry/i);
    expect(ErrorDecision.fallback('Sorry, no.')).not.toFallBack('Sorry');
    const all = [true, false, ErrorDecision.fallback('x'), ErrorDecision.silent()];
    const matchers = [
      (received: unknown) => expect(received).toRecover(),
      (received: unknown) => expect(received).toAbort(),
      (received: unknown) => expect(received).toFallBack(),
      (received: unknown) => expect(received).toEndSilently(),
    ];
    const table = matchers.map((match) => all.map((received) => passes(() => match(received))));
    expect(table).toEqual(all.map((_, row) => all.map((__, column) => row === column)));
  });

  test('a promise of an answer works with `resolves`', async () => {
    await expect(ask(new RefundLimit()).preToolUse(call())).resolves.toAllow();
    await expect(ask(new RefundLimit()).preToolUse(call())).resolves.not.toBlock();
  });

  test('within other values they match what they are given', () => {
    expect([block, allow]).toEqual([expect.toBlock(/much/), expect.toAllow()]);
    expect([threw]).not.toEqual([expect.toBlock()]);
  });
});

describe('matchers — a failure', () => {
  test('it is neither a block nor the opposite of one', () => {
    expect(failure(() => expect(threw).toBlock())).toBe(
      'expected policy-1 at preToolUse to block, but it failed (threw): TypeError: no such field',
    );
    expect(failure(() => expect(threw).not.toBlock())).toBe(
      'expected policy-1 at preToolUse not to block, but it failed (threw): TypeError: no such field',
    );
    expect(failure(() => expect(threw).toAbstain())).toContain('it failed');
    expect(failure(() => expect(threw).not.toAbstain())).toContain('it failed');
  });

  test('`toFail` takes it, of any kind or of one', () => {
    expect(threw).toFail();
    expect(threw).toFail('threw');
    expect(threw).not.toFail('timed-out');
    expect(allow).not.toFail();
    expect(silent).not.toFail();
    expect(failure(() => expect(threw).toFail('timed-out'))).toMatch(
      /to fail with the kind 'timed-out', but it failed \(threw\)/,
    );
  });

  test('without a cause the message is that of the error', async () => {
    const lied = await answer(() => illegal('allow'));
    expect(failure(() => expect(lied).toAllow())).toMatch(
      /but it failed \(illegal\): policy 'policy-1' at preToolUse: the answer is a text/,
    );
  });

  test('something thrown that is no error is shown', async () => {
    const odd = await answer(() => Promise.reject({ code: 7 }));
    expect(failure(() => expect(odd).toAllow())).toContain('failed (threw): { code: 7 }');
  });
});

describe('matchers — what is no answer', () => {
  test.each([
    ['a promise', Promise.resolve(undefined), 'it is a promise: await it first'],
    ['a text', 'allow', 'a string is neither an answer of `ask` nor a decision'],
    ['null', null, 'null is neither an answer of `ask` nor a decision'],
    ['an unknown move', { type: 'blok', reason: 'x' }, 'an object is neither an answer'],
    ['a block without a reason', { type: 'block' }, 'an object is neither an answer'],
    ['a cancelled question', cancelled, 'the turn was cancelled before it had answered'],
  ])('%s meets nothing, negated or not', (_, received, says) => {
    expect(failure(() => expect(received).toBlock())).toContain(`to block, but ${says}`);
    expect(failure(() => expect(received).not.toBlock())).toContain(`not to block, but ${says}`);
    expect(failure(() => expect(received).toFail())).toContain(says);
    expect(failure(() => expect(received).not.toFail())).toContain(says);
  });
});

describe('matchers — messages', () => {
  test.each([
    ['it allowed', allow],
    ["it blocked with the reason 'too much'", block],
    ["it required confirmation with the prompt 'Refund 5?'", confirm],
    ["it asked for a retry with the feedback 'ask first'", retry],
    ['it rewrote the value to { amount: 1 }', modify],
    ['it abstained', abstain],
    ['it had no opinion', silent],
    ['it let it proceed', MessageDecision.proceed()],
    ['it accepted', ResponseDecision.accept()],
    ['it kept the value', ToolResultDecision.keep()],
    ['it released 3 characters', WindowDecision.release(3)],
    ['it recovered', ErrorDecision.recover()],
    ['it aborted', ErrorDecision.abort()],
    ["it fell back to the text 'Sorry.'", ErrorDecision.fallback('Sorry.')],
    ['it ended silently', ErrorDecision.silent()],
  ])('say what came instead: %s', (says, received) => {
    expect(failure(() => expect(received).toFail())).toMatch(/^expected .+ to fail, but /);
    expect(failure(() => expect(received).toFail()).split(', but ')[1]).toBe(says);
  });

  test.each<[string, () => void]>([
    ['to block', () => expect(allow).toBlock()],
    ["to block with the reason 'x'", () => expect(allow).toBlock('x')],
    ['to block with the reason /x/', () => expect(allow).toBlock(/x/)],
    ['to require confirmation', () => expect(allow).toRequireConfirmation()],
    ["to require confirmation with the prompt 'x'", () => expect(allow).toRequireConfirmation('x')],
    ['to ask for a retry', () => expect(allow).toRetry()],
    ["to ask for a retry with the feedback 'x'", () => expect(allow).toRetry('x')],
    ['to rewrite the value', () => expect(allow).toModify()],
    ['to rewrite the value to { amount: 2 }', () => expect(allow).toModify({ amount: 2 })],
    ['to let it proceed', () => expect(allow).toProceed()],
    ['to accept', () => expect(allow).toAccept()],
    ['to keep the value', () => expect(allow).toKeep()],
    ['to have no opinion', () => expect(allow).toAbstain()],
    ['not to allow', () => expect(allow).not.toAllow()],
  ])('say what was expected: %s', (wish, check) => {
    expect(failure(check)).toBe(`expected policy-1 at preToolUse ${wish}, but it allowed`);
  });

  test('show line by line what was put in place, and what was expected', () => {
    const rewrite = ToolDecision.modify({ amount: 1, to: { name: 'ann', city: 'Bern' } });
    const wanted = { amount: 2, to: { name: 'ann', city: 'Bern' } };
    expect(
      failure(() => expect(rewrite).toModify(wanted))
        .split('\n\n')
        .slice(1)
        .join('\n\n'),
    ).toBe(
      [
        '- expected',
        '+ received',
        '',
        '  {',
        '-   amount: 2,',
        '+   amount: 1,',
        '    to: {',
        "      city: 'Bern',",
        "      name: 'ann'",
        '    }',
        '  }',
      ].join('\n'),
    );
    // A short text says it all itself, and so does a negation.
    expect(failure(() => expect(MessageDecision.modify('a')).toModify('b'))).not.toContain('\n');
    expect(failure(() => expect(rewrite).not.toModify())).not.toContain('+ received');
  });

  test('name the policy of the answer, and nobody for a bare decision', async () => {
    const named = await ask(new RefundLimit()).preToolUse(call());
    expect(failure(() => expect(named).toBlock())).toContain('expected RefundLimit at preToolUse');
    expect(failure(() => expect(ToolDecision.allow()).toBlock())).toBe(
      'expected the policy to block, but it allowed',
    );
  });
});

function call() {
  return toolInvocation(refund, { amount: 5 });
}

function answer(
  preToolUse: NonNullable<AgentHooks['preToolUse']>,
  options = {},
): Promise<PolicyAnswer> {
  const policy: AgentHooks = { name: 'policy-1', preToolUse };
  return ask(policy).preToolUse(call(), options);
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

function failure(check: () => void): string {
  try {
    check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('the matcher passed');
}
