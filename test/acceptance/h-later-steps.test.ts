import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  MessageDecision,
  RequestDecision,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, placesOf, resultsIn } from './traces.ts';

const WORD = 'xyzzy';
const script = [{ toolCalls: [{ name: 'look' }] }, 'done'];
const beside = [{ text: `the word is ${WORD}`, toolCalls: [{ name: 'look' }] }, 'done'];

describe.each(MODES)('%s', (mode) => {
  const look = () => counted('look', { sideEffects: 'none', execute: () => 'seen 4711' });

  test('H01: a Block on a later step ends the turn, and the results before it are kept', async () => {
    const { tool, inputs } = look();
    const guard = defineHooks({
      name: 'guard',
      preLlmRequest: (request) =>
        JSON.stringify(request.messages).includes('4711') ? RequestDecision.block('no') : undefined,
    });
    const model = scriptedModel(script);
    const played = await play(mode, { model, tools: [tool], hooks: [guard] });
    expect(expectStatus(played.result, 'blocked')).toMatchObject({
      by: 'guard',
      point: 'preLlmRequest',
      text: 'Sorry, I cannot help with that.',
    });
    expect({ calls: model.calls, ran: inputs.length }).toEqual({ calls: 1, ran: 1 });
    const kept = await played.store.readMessages('t');
    expect(kept.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(resultsIn(kept)['1.1.0']).toEqual({ outcome: 'succeeded', output: 'seen 4711' });
    await expectSound(played);
  });

  test('H04: a rewrite of a later request is what the model gets', async () => {
    const { tool } = look();
    const hide = defineHooks({
      name: 'hide',
      preLlmRequest: (request) =>
        RequestDecision.modify({
          ...request,
          messages: JSON.parse(JSON.stringify(request.messages).replaceAll('4711', '****')),
        }),
    });
    const model = scriptedModel(script);
    const played = await play(mode, { model, tools: [tool], hooks: [hide] });
    expectStatus(played.result, 'completed');
    expect(JSON.stringify(model.requests[1])).not.toContain('4711');
    expect(JSON.stringify(model.requests[1])).toContain('seen ****');
    expect(JSON.stringify(await played.store.readMessages('t'))).toContain('4711');
    const without = scriptedModel(script);
    await play(mode, { model: without, tools: [look().tool] });
    expect(JSON.stringify(without.requests[1])).toContain('4711');
  });

  test('B05: a text blocked beside tool calls is in the audit as discarded and nowhere else, and the calls run', async () => {
    const { tool, inputs } = look();
    const guard = defineHooks({
      name: 'guard',
      onOutgoingMessage: ({ text }) =>
        text.includes(WORD) ? MessageDecision.block('banned') : undefined,
    });
    const model = scriptedModel(beside);
    const played = await play(mode, { model, tools: [tool], hooks: [guard] });
    expect(expectStatus(played.result, 'completed').text).toBe('done');
    expect(inputs).toHaveLength(1);
    expect(JSON.stringify(model.requests[1])).not.toContain(WORD);
    const streamed = mode === 'stream held' ? [] : ['streamed'];
    expect(await placesOf(WORD, played)).toEqual(['heard', ...streamed, 'events']);
    const shown = (await played.store.readEvents('t')).flatMap((event) =>
      event.type === 'message.outgoing' && event.discarded !== true ? [event.text] : [],
    );
    expect(shown).toEqual(['Sorry, I cannot show you that answer.', 'done']);
    await expectSound(played);
  });

  test('B05: a text that nobody was asked about, as its batch never ran, enters no history and no request', async () => {
    const ask = defineHooks({
      name: 'guard',
      preToolUse: () => ToolDecision.requiresConfirmation('May it?'),
      onOutgoingMessage: ({ text }) =>
        text.includes(WORD) ? MessageDecision.block('banned') : undefined,
    });
    const broken = defineHooks({
      name: 'guard',
      preToolUse() {
        throw new Error('broken');
      },
    });
    const failed = await play(mode, {
      model: scriptedModel(beside),
      tools: [look().tool],
      hooks: [broken],
    });
    expectStatus(failed.result, 'failed');
    expect(await placesOf(WORD, failed)).toEqual(
      mode === 'stream live' ? ['heard', 'streamed'] : [],
    );
    for (const way of ['supersede', 'cancel'] as const) {
      const model = scriptedModel(beside);
      const paused = await play(mode, { model, tools: [look().tool], hooks: [ask] });
      expectStatus(paused.result, 'awaiting-approval');
      if (way === 'cancel') await paused.agent.cancel('t');
      await paused.agent.run({ threadId: 't', message: 'on', supersede: true });
      expect(JSON.stringify(await paused.store.readMessages('t'))).not.toContain(WORD);
      expect(JSON.stringify(model.requests[1])).not.toContain(WORD);
      await expectSound(paused);
    }
  });

  test('B05: a text beside calls that were approved is judged before it is stored or shown', async () => {
    const guard = defineHooks({
      name: 'guard',
      preToolUse: () => ToolDecision.requiresConfirmation('May it?'),
      onOutgoingMessage: ({ text }) => MessageDecision.modify(text.replaceAll(WORD, '[hidden]')),
    });
    const { tool, inputs } = look();
    const model = scriptedModel(beside);
    const paused = await play(mode, { model, tools: [tool], hooks: [guard] });
    const answers = answersTo(paused.result, true);
    expectStatus(await paused.agent.resume({ threadId: 't', answers }), 'completed');
    expect(inputs).toHaveLength(1);
    expect(JSON.stringify(model.requests[1])).not.toContain(WORD);
    expect(JSON.stringify(model.requests[1])).toContain('the word is [hidden]');
    expect(JSON.stringify(await paused.store.readEvents('t'))).not.toContain(WORD);
  });
});
