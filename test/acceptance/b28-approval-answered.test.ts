import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  HookError,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'done'];

/** Asks for every call, and does on resume what the test says. */
function asks(onResume: (invocation: ToolInvocation) => ToolDecision | undefined) {
  const seen: (boolean | undefined)[] = [];
  const hooks = defineHooks({
    name: 'asks',
    preToolUse(invocation) {
      seen.push(invocation.approval?.approved);
      if (invocation.approval !== undefined) return onResume(invocation);
      return ToolDecision.requiresConfirmation('Charge?');
    },
  });
  return { hooks, seen };
}

describe.each(stores())('%s store', (_name, open) => {
  describe.each(MODES)('%s', (mode) => {
    test('B28: on resume the policy is asked again with the answer, and the stored answer wins over a repeated question', async () => {
      const charge = counted('charge');
      const { hooks, seen } = asks(() => ToolDecision.requiresConfirmation('Charge?'));
      const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool] };
      const paused = await play(mode, { ...scene, hooks: [hooks] });
      expect(charge.inputs).toEqual([]);
      const result = await paused.agent.resume({
        threadId: 't',
        answers: answersTo(paused.result, true),
      });
      expect(expectStatus(result, 'completed').text).toBe('done');
      expect(charge.inputs).toEqual([{ id: 'a' }]);
      expect(seen).toEqual([undefined, true]);
      await expectSound(paused);
    });
  });

  test('B28: a policy that throws on resume is a hook failure, and nothing runs', async () => {
    const charge = counted('charge');
    const { hooks } = asks(() => {
      throw new Error('asked twice');
    });
    const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool] };
    const paused = await play('run', { ...scene, hooks: [hooks] });
    const result = await paused.agent.resume({
      threadId: 't',
      answers: answersTo(paused.result, true),
    });
    const { error } = expectStatus(result, 'failed');
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ policy: 'asks', point: 'preToolUse', kind: 'threw' });
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await paused.store.readMessages('t'))).toEqual({
      '1.1.0': { outcome: 'not-executed', output: 'Not executed: a policy failed' },
    });
    await expectSound(paused);
  });

  test('B29: any context on resume runs the approved call once', async () => {
    for (const context of [undefined, {}, null, { tenant: 'other' }, 0]) {
      const seen: unknown[] = [];
      const charge = counted('charge', { execute: (ctx) => seen.push(ctx.context) });
      const { hooks } = asks(() => undefined);
      const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool] };
      const paused = await play(
        'run',
        { ...scene, hooks: [hooks] },
        { context: { tenant: 'one' } },
      );
      const other = agentFor('run', { ...scene, hooks: [hooks], store: paused.store });
      const result = await other.resume({
        threadId: 't',
        answers: answersTo(paused.result, true),
        context,
      });
      expectStatus(result, 'completed');
      expect(seen).toEqual([context]);
      await expectSound(paused);
    }
  });
});

describe('B28: what else a policy may say on resume', () => {
  const cases: readonly (readonly [string, ToolDecision | undefined, string])[] = [
    ['allow', ToolDecision.allow(), 'succeeded'],
    ['abstain', ToolDecision.abstain(), 'succeeded'],
    ['nothing', undefined, 'succeeded'],
    ['the same input again', ToolDecision.modify({ id: 'a' }), 'succeeded'],
    ['another input', ToolDecision.modify({ id: 'b' }), 'blocked'],
    ['block', ToolDecision.block('not any more'), 'blocked'],
    ['retry', ToolDecision.retryWithFeedback('ask for less'), 'blocked'],
  ];

  test.each(cases)('%s', async (_name, decision, outcome) => {
    for (const tier of ['auto', 'confirm'] as const) {
      const charge = counted('charge', { tier });
      const { hooks } = asks(() => decision);
      const scene = { model: scriptedModel(script), tools: [charge.tool], hooks: [hooks] };
      const paused = await play('run', scene);
      const result = await paused.agent.resume({
        threadId: 't',
        answers: answersTo(paused.result, true),
      });
      expectStatus(result, 'completed');
      expect(resultsIn(await paused.store.readMessages('t'))['1.1.0']?.outcome).toBe(outcome);
      expect(charge.inputs).toHaveLength(outcome === 'succeeded' ? 1 : 0);
      await expectSound(paused);
    }
  });

  test('without the policy: nothing is asked and the tool runs', async () => {
    const charge = counted('charge');
    const played = await play('run', { model: scriptedModel(script), tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toHaveLength(1);
  });
});
