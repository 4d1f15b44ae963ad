import { describe, expect, test } from 'vitest';
import { defineHooks, MessageDecision, RequestDecision, ToolDecision } from '../../../src/index.ts';
import { replay } from '../../../src/testing/replay/replay.ts';
import { onRefund, recorded, watch } from './refunds.ts';
import { replayOne } from './transcripts.ts';

describe('replay — two sets of policies', () => {
  const strict = onRefund('p', ToolDecision.block('no'));

  test('the same policies differ in nothing', async () => {
    const entry = await replayOne(recorded, { hooks: [watch, strict], against: [watch, strict] });
    expect(entry.differences).toEqual([]);
  });

  test('every decision that only one has, or that they have differently, is a difference', async () => {
    const limit = defineHooks({
      name: 'limit',
      preToolUse: ({ effectiveInput: { amount = 0 } }) =>
        Number(amount) > 50 ? ToolDecision.block('too much') : undefined,
    });
    const other = onRefund('p', ToolDecision.block('never'));
    const entry = await replayOne(recorded, { hooks: [limit, other], against: [strict] });
    expect(
      entry.differences?.map((one) =>
        one.type === 'decision'
          ? [one.turn, one.hooks?.policy, one.hooks?.reason, one.against?.reason, one.after]
          : one,
      ),
    ).toEqual([
      [1, 'p', 'never', 'no', false],
      [2, 'limit', 'too much', undefined, true],
      [2, 'p', 'never', 'no', true],
    ]);
    expect(entry.against?.diverged).toMatchObject({ turn: 1, step: 2 });
  });

  test.each([
    ['request', defineHooks({ name: 'p', systemPrompt: () => 'other' })],
    [
      'input',
      defineHooks({
        name: 'p',
        preToolUse: ({ effectiveInput }) => ToolDecision.modify({ ...effectiveInput, id: 9 }),
      }),
    ],
    ['text', defineHooks({ name: 'p', onOutgoingMessage: () => MessageDecision.modify('other') })],
    [
      'request',
      defineHooks({
        name: 'p',
        preLlmRequest: (request) =>
          RequestDecision.modify({ ...request, settings: { temperature: 0 } }),
      }),
    ],
  ])(
    'a rewrite of the %s that differs is a difference, although the decisions are alike',
    async (what, policy) => {
      const same = defineHooks({
        name: 'p',
        systemPrompt: (prompt) => ('systemPrompt' in policy ? 'third' : prompt),
        preToolUse: ({ effectiveInput }) =>
          'preToolUse' in policy ? ToolDecision.modify({ ...effectiveInput }) : undefined,
        onOutgoingMessage: ({ text }) =>
          'onOutgoingMessage' in policy ? MessageDecision.modify(text) : undefined,
        preLlmRequest: (request) =>
          'preLlmRequest' in policy ? RequestDecision.modify(request) : undefined,
      });
      const { differences = [] } = await replayOne(recorded, { hooks: [policy], against: [same] });
      expect(differences.filter(({ type }) => type === 'decision')).toEqual([]);
      expect(differences).toMatchObject([{ type: 'rewrite', what }]);
      const equal = await replayOne(recorded, { hooks: [policy], against: [policy] });
      expect(equal.differences).toEqual([]);
    },
  );

  test('a rewrite that differs behind a divergence is counted apart', async () => {
    const rewrite = (text: string) =>
      defineHooks({
        name: 'rewrite',
        onOutgoingMessage: (message) =>
          message.text === 'Done again.' ? MessageDecision.modify(text) : undefined,
      });
    const options = { hooks: [strict, rewrite('one')], against: [strict, rewrite('two')] };
    const { differences } = await replayOne(recorded, options);
    expect(differences).toEqual([{ type: 'rewrite', turn: 2, step: 2, what: 'text', after: true }]);
  });

  test('a report counts them, until a divergence and behind it', async () => {
    const options = { hooks: [strict], against: [watch] };
    const report = await replay({ ...options, conversations: [recorded] }).report();
    expect(report.differences).toEqual({ until: 5, after: 5 });
  });
});
