import { describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  defineHooks,
  MessageDecision,
  RequestDecision,
  scriptedModel,
  TurnDecision,
} from '../../src/index.ts';
import { counted, expectStatus, MODES, play, sleep } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const slowGuards: readonly (readonly [string, AgentHooks])[] = [
  [
    'onTurnStart',
    defineHooks({
      name: 'guard',
      async onTurnStart() {
        await sleep(50);
        return TurnDecision.block('closed');
      },
    }),
  ],
  [
    'onUserMessage',
    defineHooks({
      name: 'guard',
      async onUserMessage() {
        await sleep(50);
        return MessageDecision.block('not that');
      },
    }),
  ],
  [
    'preLlmRequest',
    defineHooks({
      name: 'guard',
      async preLlmRequest() {
        await sleep(50);
        return RequestDecision.block('not that');
      },
    }),
  ],
];

const script = [{ toolCalls: [{ name: 'charge' }] }, 'done'];

describe.each(MODES)('%s', (mode) => {
  test.each(slowGuards)(
    'B01: a slow guard at %s blocks before the model is called and before any tool runs',
    async (point, guard) => {
      const charge = counted('charge');
      const model = scriptedModel(script);
      const played = await play(mode, { model, tools: [charge.tool], hooks: [guard] });
      expect(expectStatus(played.result, 'blocked')).toMatchObject({ by: 'guard', point });
      expect({ calls: model.calls, ran: charge.inputs.length }).toEqual({ calls: 0, ran: 0 });
      expect(await played.store.readMessages('t')).toEqual([]);
      await expectSound(played);
    },
  );

  test('B01, without the guard: the model is called and the tool runs', async () => {
    const charge = counted('charge');
    const model = scriptedModel(script);
    const played = await play(mode, { model, tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    expect({ calls: model.calls, ran: charge.inputs.length }).toEqual({ calls: 2, ran: 1 });
    await expectSound(played);
  });

  test('B01: a message that preLlmRequest blocks on the first step is written nowhere', async () => {
    const guard = defineHooks({
      name: 'guard',
      preLlmRequest: () => RequestDecision.block('not that'),
    });
    const played = await play(
      mode,
      { model: scriptedModel(script), hooks: [guard] },
      { message: 'my pin is 4711' },
    );
    expectStatus(played.result, 'blocked');
    expect(await placesOf('4711', played)).toEqual([]);
    const without = await play(
      mode,
      { model: scriptedModel(['ok']) },
      { message: 'my pin is 4711' },
    );
    expect(await placesOf('4711', without)).toContain('messages');
  });

  test('B03: a block is asked for once, calls no model and is no model failure', async () => {
    let asked = 0;
    const guard = defineHooks({
      name: 'guard',
      preLlmRequest() {
        asked += 1;
        return RequestDecision.block('not that');
      },
    });
    const model = scriptedModel(['', '', '', 'hello']);
    const played = await play(mode, { model, hooks: [guard], maxResponseRetries: 3 });
    expect(expectStatus(played.result, 'blocked').reason).toBe('not that');
    expect({ asked, calls: model.calls }).toEqual({ asked: 1, calls: 0 });
    expect(played.heard.map(({ type }) => type)).not.toContain('error.raised');
  });

  test('B03, without the guard: the empty answers are asked for again', async () => {
    const model = scriptedModel(['', '', 'hello']);
    const played = await play(mode, { model, maxResponseRetries: 3 });
    expect(expectStatus(played.result, 'completed').text).toBe('hello');
    expect(model.calls).toBe(3);
  });
});
