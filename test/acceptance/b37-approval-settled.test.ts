import { describe, expect, test } from 'vitest';
import { defineHooks, scriptedModel, ToolDecision } from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

describe.each(MODES)('%s', (mode) => {
  test('B37: arguments that do not fit are told to the model, and nobody is asked', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel([{ toolCalls: [{ name: 'charge', input: { id: 7 } }] }, 'sorry'], {
      strict: true,
    });
    const played = await play(mode, { model, tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toEqual([]);
    const answered = resultsIn(await played.store.readMessages('t'))['1.1.0'];
    expect(answered?.outcome).toBe('invalid');
    expect(JSON.stringify(answered?.output)).toContain('id');
    expect(JSON.stringify(model.requests[1])).toContain('Invalid arguments');
    expect(played.heard.map(({ type }) => type)).not.toContain('approval.requested');
    await expectSound(played);
  });

  test('B37, with arguments that fit: a person is asked', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel([{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }]);
    const played = await play(mode, { model, tools: [charge.tool] });
    expectStatus(played.result, 'awaiting-approval');
    await expectSound(played);
  });
});

describe.each(stores())('%s store', (_name, open) => {
  const script = [{ toolCalls: [{ name: 'charge' }] }, 'as you wish', 'and more'];

  test('B38: a denied call has its result before the next message is sent', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel(script, { strict: true });
    const scene = { store: open(), model, tools: [charge.tool] };
    const paused = await play('run', scene);
    const denied = await paused.agent.resume({
      threadId: 't',
      answers: answersTo(paused.result, false),
    });
    expectStatus(denied, 'completed');
    const next = await agentFor('run', scene).run({ threadId: 't', message: 'and now?' });
    expect(expectStatus(next, 'completed').text).toBe('and more');
    expect(charge.inputs).toEqual([]);
    await expectSound(paused);
  });

  test('B38: so has one that is cancelled, and one that runs', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel(['never', ...script].slice(1), { strict: true });
    const scene = { store: open(), model, tools: [charge.tool] };
    const paused = await play('run', scene);
    expectStatus(await agentFor('run', scene).cancel('t'), 'cancelled');
    const next = await agentFor('run', scene).run({ threadId: 't', message: 'and now?' });
    expectStatus(next, 'completed');
    expect(resultsIn(await scene.store.readMessages('t'))['1.1.0']?.outcome).toBe('cancelled');
    expect(charge.inputs).toEqual([]);
    await expectSound(paused);
  });

  test("B39: the reviewer's reason reaches the model after a restart", async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel(script);
    const scene = { store: open(), model, tools: [charge.tool] };
    const paused = await play('run', scene);
    const answers = answersTo(paused.result, false, { reason: 'this guest already paid' });
    expectStatus(await agentFor('run', scene).resume({ threadId: 't', answers }), 'completed');
    expect(JSON.stringify(model.requests[1])).toContain('Not approved: this guest already paid');
    await expectSound(paused);
  });

  test('B39, without a reason: the model is told who said no', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel(script);
    const scene = { store: open(), model, tools: [charge.tool] };
    const paused = await play('run', scene);
    const answers = answersTo(paused.result, false, { by: 'the night shift' });
    expectStatus(await agentFor('run', scene).resume({ threadId: 't', answers }), 'completed');
    expect(JSON.stringify(model.requests[1])).toContain('Not approved: the night shift said no');
  });

  test('B41: a sibling that was settled before the pause stays as it is', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const gate = defineHooks({
      name: 'gate',
      preToolUse: (call) =>
        call.batch.index === 1 ? ToolDecision.block('once is enough') : undefined,
    });
    const calls = [
      { name: 'charge', input: { id: 7 } },
      { name: 'charge', input: { id: 'b' } },
      { name: 'nothing' },
      { name: 'charge', input: { id: 'd' } },
    ];
    const model = scriptedModel([{ toolCalls: calls }, 'done'], { strict: true });
    const scene = { store: open(), model, tools: [charge.tool], hooks: [gate] };
    const paused = await play('run', scene);
    expect(expectStatus(paused.result, 'awaiting-approval').approvals).toHaveLength(1);
    const result = await agentFor('run', scene).resume({
      threadId: 't',
      answers: answersTo(paused.result, true),
    });
    expectStatus(result, 'completed');
    expect(charge.inputs).toEqual([{ id: 'd' }]);
    const outcomes = Object.values(resultsIn(await scene.store.readMessages('t')));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'invalid',
      'blocked',
      'unknown-tool',
      'succeeded',
    ]);
    await expectSound(paused);
  });
});
