import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { compose } from '../../src/hooks/compose.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import {
  ask,
  coverageOf,
  outgoingText,
  scriptedModel,
  toolInvocation,
} from '../../src/testing/index.ts';
import { getOrder, illegal, RefundLimit, refund } from './policies.ts';

const order = toolInvocation(getOrder, { id: 1 });
const small = toolInvocation(refund, { amount: 5 });
const large = toolInvocation(refund, { amount: 600 });

/** Has a field of its own, which no stand-in can reach. */
class Private extends Policy {
  readonly #suffix = '!';

  override systemPrompt(prompt: string): string {
    return `${prompt}${this.#suffix}`;
  }
}

describe('coverageOf', () => {
  test('counts what each policy says and about which tools', async () => {
    const coverage = coverageOf([new RefundLimit()], { tools: [refund, getOrder, 'never'] });
    const [limit] = coverage.policies;
    for (const call of [order, small, small, large]) await ask(limit).preToolUse(call);
    const report = coverage.report();
    expect(report).toMatchObject({ points: 1, outcomes: 1, tools: 2 / 3, missingTools: ['never'] });
    expect(report.rows).toEqual([
      {
        policy: 'RefundLimit',
        point: 'preToolUse',
        asked: 4,
        answers: { none: 1, allow: 2, block: 1 },
        possible: ToolMoves,
        tools: { get_order: 1, refund: 3 },
      },
    ]);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    expect(coverage.text().split('\n')).toEqual([
      'points 100%, outcomes 100%, tools 67%',
      'RefundLimit at preToolUse: none 1, allow 2, block 1; tools: get_order 1, refund 3',
      "missing: no policy was asked about the tool 'never'",
    ]);
  });

  test('says what was never asked, never stopped and never let through', async () => {
    const coverage = coverageOf([
      new RefundLimit(),
      new Private(),
      { name: 'no', preToolUse: () => ToolDecision.block('no') },
    ]);
    const [limit, , no] = coverage.policies;
    await ask(limit).preToolUse(small);
    await ask(no).preToolUse(small);
    expect(coverage.report().missing).toEqual([
      'RefundLimit at preToolUse never acted',
      'Private at systemPrompt was never asked',
      'no at preToolUse never let anything through',
    ]);
    expect(() => coverage.assertCovered()).toThrow(AssertionError);
    expect(() => coverage.assertCovered()).toThrow(
      /points 67%, outcomes 40%.*wanted: points 100%/s,
    );
    expect(() => coverage.assertCovered({ points: 0.6, outcomes: 0.4 })).not.toThrow();
    expect(() => coverage.assertCovered({ points: 0.7, outcomes: 0.4 })).toThrow(
      /wanted: points 70%/,
    );
  });

  test('a failure is counted, and is no case that was covered', async () => {
    const broken = { name: 'broken', preToolUse: () => illegal('allow') };
    const throws = {
      name: 'throws',
      onOutgoingMessage: async () => Promise.reject(new Error('x')),
    };
    const coverage = coverageOf([broken, throws]);
    const [first, second] = coverage.policies;
    await ask(first).preToolUse(small);
    await ask(second).onOutgoingMessage(outgoingText('a'));
    expect(coverage.report().rows.map(({ answers }) => answers)).toEqual([
      { failed: 1 },
      { failed: 1 },
    ]);
    expect(coverage.report().outcomes).toBe(0);
  });

  test('answers as the policies do, private fields and combinations included', async () => {
    const coverage = coverageOf([new Private(), compose('desk', new RefundLimit(), new Private())]);
    const [plain, desk] = coverage.policies;
    expect(plain.systemPrompt('Hi')).toBe('Hi!');
    const toolCalls = [{ name: 'refund', input: { amount: 600 } }];
    const model = scriptedModel([{ toolCalls }, 'ok']);
    const agent = createAgent({ name: 'a', model, tools: [refund], hooks: [desk] });
    const { messages } = await agent.run({ message: 'hi' });
    expect(JSON.stringify(messages)).toContain('refunds end at 500');
    expect(
      coverage.report().rows.map(({ policy, point, asked }) => [policy, point, asked]),
    ).toEqual([
      ['Private', 'systemPrompt', 1],
      ['desk/RefundLimit', 'preToolUse', 1],
      ['desk/Private', 'systemPrompt', 2],
    ]);
  });

  test('a frozen policy, and one with accessors and private fields, is counted as any other', async () => {
    class Named extends Policy {
      readonly #id = 7;
      override get name(): string {
        return `named-${this.#id}`;
      }
      override preToolUse(): undefined {}
    }
    const frozen = defineHooks({ name: 'frozen', preToolUse: () => undefined });
    const coverage = coverageOf([frozen, new Named()]);
    const [first, second] = coverage.policies;
    await ask(first).preToolUse?.(small);
    await ask(second).preToolUse(small);
    const rows = coverage.report().rows.map(({ policy, asked }) => [policy, asked]);
    expect(rows).toEqual([
      ['frozen', 1],
      ['named-7', 1],
    ]);
  });

  test('literals without a name are told apart by their place', async () => {
    const coverage = coverageOf([{ preToolUse: () => undefined }, { preToolUse: () => undefined }]);
    expect(coverage.report().rows.map(({ policy }) => policy)).toEqual(['policy-1', 'policy-2']);
    const agent = createAgent({
      name: 'a',
      model: scriptedModel(['hi']),
      hooks: coverage.policies,
    });
    expect((await agent.run({ message: 'hi' })).status).toBe('completed');
  });

  test('one policy in two groups is counted in each, at the points of each', async () => {
    const both = {
      name: 'both',
      preToolUse: () => ToolDecision.block('no'),
      systemPrompt: (prompt: string) => `${prompt}!`,
    };
    const coverage = coverageOf([both, compose('a', both), compose('b', both)]);
    const [plain, inA] = coverage.policies;
    await ask(plain).preToolUse(small);
    await ask(plain).preToolUse(small);
    const model = scriptedModel([{ toolCalls: [{ name: 'refund', input: { amount: 5 } }] }, 'ok']);
    await createAgent({ name: 'a', model, tools: [refund], hooks: [inA] }).run({ message: 'hi' });
    const rows = coverage.report().rows.filter(({ point }) => point === 'preToolUse');
    expect(rows.map(({ policy, asked }) => [policy, asked])).toEqual([
      ['both', 2],
      ['a/both', 1],
      ['b/both', 0],
    ]);
  });

  test('a call without an answer so far is told apart', async () => {
    const slow = { name: 'slow', preToolUse: () => new Promise<undefined>(() => {}) };
    const coverage = coverageOf([slow]);
    void coverage.policies[0].preToolUse();
    expect(coverage.text()).toContain('slow at preToolUse: unanswered 1');
  });

  test('an event about a tool is no question about it', async () => {
    const watch = { name: 'watch', onEvent: () => undefined };
    const coverage = coverageOf([watch], { tools: [refund] });
    const toolCalls = [{ name: 'refund', input: { amount: 5 } }];
    const model = scriptedModel([{ toolCalls }, 'ok']);
    const agent = createAgent({ name: 'a', model, tools: [refund], hooks: coverage.policies });
    await agent.run({ message: 'hi' });
    await agent.settled();
    const report = coverage.report();
    expect(report.rows[0]?.asked).toBeGreaterThan(0);
    expect(report.missingTools).toEqual(['refund']);
  });

  test('what is no policy is refused', () => {
    expect(() => coverageOf([illegal({})])).toThrow(/implements no hook/);
  });
});

const ToolMoves = [
  'allow',
  'modify',
  'block',
  'requires-confirmation',
  'retry-with-feedback',
  'abstain',
];
