import { describe, expect, test } from 'vitest';
import { ConfigError, defineHooks, scriptedModel, ToolDecision } from '../../src/index.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const both = [{ toolCalls: [{ name: 'one' }, { name: 'two' }] }, 'done'];

describe.each(stores())('%s store', (_name, open) => {
  test.each(MODES)(
    'B30: two approvals answered one by one are each asked once, and nothing runs before the last: %s',
    async (mode) => {
      const one = counted('one', { tier: 'confirm' });
      const two = counted('two', { tier: 'confirm' });
      const scene = { store: open(), model: scriptedModel(both), tools: [one.tool, two.tool] };
      const paused = await play(mode, scene);
      const [first, second] = expectStatus(paused.result, 'awaiting-approval').approvals;
      const answer = (approvalId = '') => [{ approvalId, approved: true, by: 'boss' }];
      const half = await paused.agent.resume({
        threadId: 't',
        answers: answer(second?.approvalId),
      });
      const left = expectStatus(half, 'awaiting-approval').approvals;
      expect(left.map(({ approvalId }) => approvalId)).toEqual([first?.approvalId]);
      expect([one.inputs, two.inputs]).toEqual([[], []]);
      const whole = await paused.agent.resume({
        threadId: 't',
        answers: answer(first?.approvalId),
      });
      expectStatus(whole, 'completed');
      expect([one.inputs.length, two.inputs.length]).toEqual([1, 1]);
      const asked = (await scene.store.readEvents('t')).filter(
        ({ type }) => type === 'approval.requested',
      );
      expect(asked).toHaveLength(2);
      await expectSound(paused);
    },
  );

  test('B31: of two calls, the approved one runs and the rejected one is answered', async () => {
    for (const approvedFirst of [true, false]) {
      const one = counted('one', { tier: 'confirm' });
      const two = counted('two', { tier: 'confirm' });
      const model = scriptedModel(both, { strict: true });
      const scene = { store: open(), model, tools: [one.tool, two.tool] };
      const paused = await play('run', scene);
      const [a, b] = expectStatus(paused.result, 'awaiting-approval').approvals;
      const result = await paused.agent.resume({
        threadId: 't',
        answers: [
          { approvalId: a?.approvalId ?? '', approved: approvedFirst, by: 'boss' },
          { approvalId: b?.approvalId ?? '', approved: !approvedFirst, by: 'boss' },
        ],
      });
      expectStatus(result, 'completed');
      expect([one.inputs.length, two.inputs.length]).toEqual(approvedFirst ? [1, 0] : [0, 1]);
      const outcomes = Object.values(resultsIn(await scene.store.readMessages('t')));
      const denied = { outcome: 'denied', output: 'Not approved: boss said no' };
      expect(outcomes[approvedFirst ? 1 : 0]).toEqual(denied);
      expect(outcomes[approvedFirst ? 0 : 1]?.outcome).toBe('succeeded');
      await expectSound(paused);
    }
  });

  test('B31: a call that needs no approval waits for the batch, and runs beside a rejected one', async () => {
    const gated = counted('one', { tier: 'confirm' });
    const free = counted('two', { sideEffects: 'none' });
    const model = scriptedModel(both, { strict: true });
    const scene = { store: open(), model, tools: [gated.tool, free.tool] };
    const paused = await play('run', scene);
    const { approvals } = expectStatus(paused.result, 'awaiting-approval');
    expect(approvals.map(({ toolName }) => toolName)).toEqual(['one']);
    expect(free.inputs).toEqual([]);
    const approvalId = approvals[0]?.approvalId ?? '';
    const result = await paused.agent.resume({
      threadId: 't',
      answers: [{ approvalId, approved: false, by: 'boss' }],
    });
    expectStatus(result, 'completed');
    expect([gated.inputs.length, free.inputs.length]).toEqual([0, 1]);
    await expectSound(paused);
  });

  test('B36: another question during resume pauses again, and an answered one is not asked again', async () => {
    const asks = defineHooks({
      name: 'asks',
      preToolUse: () => ToolDecision.requiresConfirmation('Charge?'),
    });
    const second = defineHooks({
      name: 'second',
      preToolUse: (invocation) =>
        invocation.approval === undefined
          ? undefined
          : ToolDecision.requiresConfirmation('Really charge?'),
    });
    const charge = counted('charge');
    const model = scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']);
    const scene = { store: open(), model, tools: [charge.tool], hooks: [asks, second] };
    const paused = await play('run', scene);
    const prompts: string[][] = [];
    let { result } = paused;
    while (result.status === 'awaiting-approval') {
      prompts.push(
        result.approvals.flatMap(({ requirements }) => requirements.map(({ prompt }) => prompt)),
      );
      expect(charge.inputs).toEqual([]);
      result = await agentFor('run', scene).resume({
        threadId: 't',
        answers: result.approvals.map(({ approvalId }) => ({
          approvalId,
          approved: true,
          by: 'boss',
        })),
      });
    }
    expect(prompts).toEqual([['Charge?'], ['Really charge?']]);
    expectStatus(result, 'completed');
    expect(charge.inputs).toHaveLength(1);
    await expectSound(paused);
  });
});

test('B36: questions without end are bounded, and the call is then blocked', async () => {
  let version = 0;
  const charge = counted('charge');
  const model = scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']);
  const hooks = () => {
    version += 1;
    return [
      defineHooks({
        name: 'asks',
        version: String(version),
        preToolUse: () => ToolDecision.requiresConfirmation('Charge?'),
      }),
    ];
  };
  const paused = await play('run', { model, tools: [charge.tool], hooks });
  let pauses = 0;
  let { result } = paused;
  while (result.status === 'awaiting-approval') {
    pauses += 1;
    result = await paused.agent.resume({
      threadId: 't',
      answers: result.approvals.map(({ approvalId }) => ({
        approvalId,
        approved: true,
        by: 'boss',
      })),
    });
  }
  expectStatus(result, 'completed');
  expect(pauses).toBe(3);
  expect(charge.inputs).toEqual([]);
  expect(resultsIn(await paused.store.readMessages('t'))['1.1.0']).toMatchObject({
    outcome: 'blocked',
    output: 'Blocked: at resume: it was asked for approval too often',
  });
  await expectSound(paused);
});

test('B36: no policy is named like the engine, whose own question any approval answers', () => {
  for (const name of ['tier', 'agent', 'user']) {
    const hooks = [defineHooks({ name, preToolUse: () => ToolDecision.allow() })];
    expect(() => agentFor('run', { model: scriptedModel([]), hooks })).toThrow(ConfigError);
  }
});

test('B30, B31 and B36, without the gate: both calls run at once', async () => {
  const one = counted('one');
  const two = counted('two');
  const played = await play('run', { model: scriptedModel(both), tools: [one.tool, two.tool] });
  expectStatus(played.result, 'completed');
  expect([one.inputs.length, two.inputs.length]).toEqual([1, 1]);
});
