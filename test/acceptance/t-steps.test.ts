import { describe, expect, test } from 'vitest';
import { scriptedModel } from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const call = { toolCalls: [{ name: 'look' }] };

describe.each(MODES)('%s', (mode) => {
  test('T04: a turn ends at its limit of steps, with what its tools did stored and the user told', async () => {
    const look = counted('look');
    const model = scriptedModel([call, call, 'done'], { strict: true });
    const fallbacks = { limit: 'out of steps' };
    const scene = { model, tools: [look.tool], limits: { steps: 2 }, fallbacks };
    const played = await play(mode, scene);
    const limited = expectStatus(played.result, 'limited');
    expect(limited).toMatchObject({ limit: 'steps', steps: 2, text: 'out of steps' });
    expect([model.calls, look.inputs.length]).toEqual([2, 2]);
    expect(Object.keys(resultsIn(await played.store.readMessages('t')))).toHaveLength(2);
    expect(ofType(played.streamed, 'message.outgoing')).toMatchObject([
      { text: 'out of steps', fallback: 'limit' },
    ]);
    expect(ofType(played.streamed, 'turn.finished')).toMatchObject([{ status: 'limited' }]);
    expectStatus(await played.agent.run({ threadId: 't', message: 'go on' }), 'completed');
    await expectSound(played);
  });

  test('T04, without the limit: the turn goes on to its answer', async () => {
    const look = counted('look');
    const model = scriptedModel([call, call, 'done']);
    const played = await play(mode, { model, tools: [look.tool] });
    expect(expectStatus(played.result, 'completed').text).toBe('done');
  });

  test('T16: nobody has to set a limit of steps, a store or how much runs at once', async () => {
    let working = 0;
    let peak = 0;
    const look = counted('look', {
      sideEffects: 'none',
      execute: async () => {
        working += 1;
        peak = Math.max(peak, working);
        await new Promise((resolve) => setTimeout(resolve, 2));
        working -= 1;
      },
    });
    const many = { toolCalls: Array.from({ length: 12 }, () => ({ name: 'look' })) };
    const model = scriptedModel([many, ...Array.from({ length: 60 }, () => call)]);
    const played = await play(mode, { model, tools: [look.tool] });
    expect(expectStatus(played.result, 'limited').limit).toBe('steps');
    expect([model.calls, peak]).toEqual([50, 8]);
    expect(model.requests[0]?.messages).toMatchObject([{ role: 'user' }]);
    expect(model.requests[0]?.settings).toEqual({});
  });
});
