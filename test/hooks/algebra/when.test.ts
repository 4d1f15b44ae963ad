import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../../src/decisions/tool-result-decision.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { limitCall, NOT_ASKED } from '../../../src/hooks/limit-call.ts';
import { defineHooks } from '../../../src/hooks/policy.ts';
import { type HookCondition, when } from '../../../src/hooks/when.ts';
import { acceptAll, asIs, bench, illegal, invocation, NOW, sleep } from '../make-gate.ts';

const blocks = defineHooks({ name: 'blocks', preToolUse: () => ToolDecision.block('no') });
const verdictOf = async (condition: HookCondition, policy = blocks) => {
  const run = bench([when(condition, policy)]);
  const verdict = await run.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
  run.gate.close();
  const type = verdict.type === 'judged' ? verdict.verdict.type : verdict.type;
  return { ...run, type };
};

describe('when — asked or not', () => {
  test('asks where the condition holds, and has no opinion where it does not', async () => {
    expect(await verdictOf(() => true)).toMatchObject({ type: 'block' });
    const skipped = await verdictOf(() => false);
    expect(skipped.type).toBe('no-opinion');
    expect(skipped.recorded).toEqual([]);
  });

  test('holds later too', async () => {
    expect(await verdictOf(async () => true)).toMatchObject({ type: 'block' });
    expect(await verdictOf(async () => false)).toMatchObject({ type: 'no-opinion' });
  });

  test('gives the policy everything that its point gives', async () => {
    const looks = defineHooks({
      name: 'looks',
      postToolUse: (call, { output }, { channel }) =>
        ToolResultDecision.modify({ output: `${call.toolName} ${output} ${channel}` }),
    });
    const { gate } = bench([when(() => true, looks)]);
    const result = { outcome: 'succeeded', isError: false, output: 'raw' } as const;
    expect(await gate.toolResult(invocation(), result, NOW)).toMatchObject({
      output: 'refund raw chat',
    });
  });

  test('a synchronous condition makes no promise', () => {
    const { gate } = bench([when(() => false, blocks)]);
    expect(gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).not.toBeInstanceOf(
      Promise,
    );
  });

  test('sees what the policy would see, at each of its points', async () => {
    const seen: unknown[] = [];
    const both = defineHooks({
      name: 'both',
      preToolUse: () => undefined,
      postToolUse: () => undefined,
      onOutgoingMessage: () => undefined,
    });
    const { gate } = bench([
      when((ctx, { point, payload }) => {
        seen.push([point, payload, ctx.channel]);
        return true;
      }, both),
    ]);
    const call = invocation();
    const message = { text: 'hi', isFinal: true };
    await gate.toolUse(call, { check: acceptAll, moment: NOW }, asIs);
    await gate.toolResult(call, { outcome: 'succeeded', isError: false, output: 1 }, NOW);
    await gate.outgoing(message, NOW);
    expect(seen).toEqual([
      ['preToolUse', call, 'chat'],
      ['postToolUse', call, 'chat'],
      ['onOutgoingMessage', message, 'chat'],
    ]);
  });

  test('a policy that must decide need not where it is not asked', async () => {
    const must = defineHooks({
      name: 'must',
      options: { preToolUse: { mustDecide: true } },
      preToolUse: () => undefined,
    });
    expect(await verdictOf(() => false, must)).toMatchObject({ type: 'no-opinion' });
    expect(await verdictOf(async () => false, must)).toMatchObject({ type: 'no-opinion' });
    expect(await verdictOf(() => true, must)).toMatchObject({ type: 'failed' });
  });

  test('is asked again about a rewritten value', async () => {
    const large = when(
      (_ctx, { point, payload }) => point === 'preToolUse' && payload.effectiveInput['id'] === 500,
      blocks,
    );
    const rewrites = defineHooks({
      name: 'rewrites',
      preToolUse: () => ToolDecision.modify({ id: 500 }),
    });
    const { gate } = bench([large, rewrites]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'block', policy: 'blocks' },
      },
    );
  });

  test('of two conditions the inner one is asked only where the outer one holds', async () => {
    const asked: string[] = [];
    const inner = when(() => asked.push('inner') > 0, blocks);
    expect(await verdictOf(() => false, inner)).toMatchObject({ type: 'no-opinion' });
    expect(asked).toEqual([]);
    expect(await verdictOf(() => true, inner)).toMatchObject({ type: 'block' });
    expect(asked).toEqual(['inner']);
  });

  test('holds for each policy of a group, on the value as that policy would see it', async () => {
    const adds = (name: string) =>
      defineHooks({
        name,
        onOutgoingMessage: ({ text }, { recheck }) =>
          recheck ? undefined : MessageDecision.modify(text + name),
      });
    const short: HookCondition = (_ctx, { point, payload }) =>
      point === 'onOutgoingMessage' && payload.text.length < 3;
    const { gate } = bench([when(short, compose(adds('a'), adds('b'), adds('c')))]);
    expect(await gate.outgoing({ text: '>', isFinal: true }, NOW)).toMatchObject({
      value: { text: '>ab' },
    });
  });

  test('a policy around a call that is not asked lets the call be', () => {
    const limit = { by: 'when', applies: () => false };
    const wrapped = limitCall('wrapToolUse', () => 'wrapped', [limit]);
    expect(wrapped('call', (payload: unknown) => `ran ${payload}`, {})).toBe('ran call');
    expect(limitCall('preToolUse', () => 'asked', [limit])('call', {})).toBe(NOT_ASKED);
  });
});

describe('when — a condition that fails', () => {
  const failing: readonly (readonly [what: string, condition: HookCondition, kind: string])[] = [
    [
      'throws',
      () => {
        throw new TypeError('no');
      },
      'threw',
    ],
    ['rejects', () => Promise.reject(new TypeError('no')), 'threw'],
    ['answers with nothing', () => illegal(undefined), 'threw'],
    ['answers with a text', () => illegal('false'), 'threw'],
    ['answers with 0', async () => illegal(0), 'threw'],
    ['takes too long', () => new Promise(() => undefined), 'timed-out'],
  ];

  test.each(failing)('one that %s is a failure of the policy', async (_what, condition, kind) => {
    const limited = { ...blocks, options: { preToolUse: { timeoutMs: 20 } } };
    const { type, failures } = await verdictOf(condition, limited);
    expect(type).toBe('failed');
    expect(failures()).toMatchObject([
      { policy: 'blocks', point: 'preToolUse', kind, open: false },
    ]);
  });

  test.each(failing)(
    'one that %s is let through where the policy is open',
    async (_what, condition) => {
      const open = {
        ...blocks,
        options: { preToolUse: { timeoutMs: 20, failure: 'open' } },
      } as const;
      const { type, failures } = await verdictOf(condition, open);
      expect(type).toBe('no-opinion');
      expect(failures()).toMatchObject([{ open: true }]);
    },
  );

  test('nobody is asked when the condition holds after the time for it', async () => {
    let asked = 0;
    const policy = defineHooks({
      name: 'late',
      options: { preToolUse: { timeoutMs: 10 } },
      preToolUse() {
        asked += 1;
        return undefined;
      },
    });
    const { type } = await verdictOf(() => sleep(30).then(() => true), policy);
    expect(type).toBe('failed');
    await sleep(40);
    expect(asked).toBe(0);
  });

  test.each([
    ['at once', () => illegal(undefined)],
    ['later', async () => illegal('false')],
  ])('one that answers %s with no boolean says where and what to do', async (_when, condition) => {
    const run = bench([when(condition, blocks)]);
    const verdict = await run.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    const cause = verdict.type === 'failed' ? verdict.error.cause : undefined;
    expect(cause).toMatchObject({ name: 'ConfigError', code: 'invalid-input' });
    expect(String(cause)).toMatch(
      /condition of `when` at preToolUse.*true or false.*Return a bool/s,
    );
  });

  test('what is no function is refused', () => {
    expect(() => when(illegal(true), blocks)).toThrow('the condition is no function');
  });
});
