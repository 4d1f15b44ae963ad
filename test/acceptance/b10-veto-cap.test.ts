import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  ResponseDecision,
  ResponseRetryCapError,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const veto = defineHooks({
  name: 'veto',
  onLlmResponse: () => ResponseDecision.retryWithFeedback('say it nicer, plugh'),
});
const answers = (count: number): string[] => Array.from({ length: count }, (_, i) => `answer ${i}`);

describe.each(MODES)('%s', (mode) => {
  test('B10: a hook that vetoes every answer ends the run at the cap, with a reason of its own', async () => {
    const model = scriptedModel(answers(20));
    const played = await play(mode, { model, hooks: [veto] });
    const { error } = expectStatus(played.result, 'failed');
    expect(error).toBeInstanceOf(ResponseRetryCapError);
    expect(error).toMatchObject({ code: 'response-retry-cap', policy: 'veto', streak: 8 });
    expect(model.calls).toBe(8);
    await expectSound(played);
  });

  test('B10: the cap is an option, and the last veto allowed is the one that ends the run', async () => {
    const model = scriptedModel(answers(20));
    const played = await play(mode, { model, hooks: [veto], maxResponseRetries: 3 });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({ streak: 3 });
    expect(model.calls).toBe(3);
  });

  test('B10: a tool gate that vetoes every batch ends at the same cap, and nothing runs', async () => {
    const charge = counted('charge');
    const gate = defineHooks({
      name: 'gate',
      preToolUse: () => ToolDecision.retryWithFeedback('do not charge'),
    });
    const model = scriptedModel(
      answers(20).map((text) => ({ text, toolCalls: [{ name: 'charge' }] })),
    );
    const played = await play(mode, { model, tools: [charge.tool], hooks: [gate] });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({
      code: 'response-retry-cap',
      point: 'preToolUse',
    });
    expect({ calls: model.calls, ran: charge.inputs.length }).toEqual({ calls: 8, ran: 0 });
    await expectSound(played);
  });

  test('B10: the feedback is read by the next request only', async () => {
    let vetoes = 0;
    const once = defineHooks({
      name: 'veto',
      onLlmResponse() {
        vetoes += 1;
        return vetoes > 1 ? undefined : ResponseDecision.retryWithFeedback('say it nicer, plugh');
      },
    });
    const model = scriptedModel(['bad', { toolCalls: [{ name: 'look' }] }, 'good']);
    const look = counted('look', { sideEffects: 'none' });
    const played = await play(mode, { model, tools: [look.tool], hooks: [once] });
    expect(expectStatus(played.result, 'completed').text).toBe('good');
    const heardIt = model.requests.map((request) => JSON.stringify(request).includes('plugh'));
    expect(heardIt).toEqual([false, true, false]);
    expect(await placesOf('plugh', played)).toEqual([]);
    await expectSound(played);
  });

  test('B10, without the veto: the first answer is taken', async () => {
    const model = scriptedModel(answers(20));
    const played = await play(mode, { model });
    expect(expectStatus(played.result, 'completed').text).toBe('answer 0');
    expect(model.calls).toBe(1);
  });
});

describe.each(stores())('%s store', (_name, open) => {
  test('B10: the count goes on in another agent on the same store', async () => {
    const store = open();
    const model = scriptedModel(answers(20));
    let last = await agentFor('runStep', { store, model, hooks: [veto] }).runStep({
      threadId: 't',
      message: 'hello',
    });
    while (last.status === 'continues') {
      const restarted = agentFor('runStep', { store, model, hooks: [veto] });
      last = await restarted.runStep({ threadId: 't' });
    }
    expect(expectStatus(last, 'failed').error).toMatchObject({ streak: 8 });
    expect(model.calls).toBe(8);
  });
});
