import { describe, expect, test, vi } from 'vitest';
import { defineHooks, type HookPoint, scriptedModel, ToolDecision } from '../../src/index.ts';
import { counted, expectStatus, MODES, play, sleep } from './play.ts';
import { expectSound } from './traces.ts';

const CLOSED: readonly HookPoint[] = [
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'onLlmResponse',
  'preToolUse',
];

describe.each(MODES)('%s', (mode) => {
  const script = [{ toolCalls: [{ name: 'charge' }] }, 'done'];

  test.each(CLOSED)(
    'B07: a guard at %s that has to decide and says nothing has failed',
    async (point) => {
      for (const mustDecide of [true, false]) {
        const charge = counted('charge');
        const guard = defineHooks({
          name: 'guard',
          options: { [point]: { mustDecide } },
          [point]: () => undefined,
        });
        const model = scriptedModel(script);
        const played = await play(mode, { model, tools: [charge.tool], hooks: [guard] });
        if (mustDecide) {
          const { error } = expectStatus(played.result, 'failed');
          expect(error).toMatchObject({ policy: 'guard', point, kind: 'undecided' });
        } else expectStatus(played.result, 'completed');
        expect(charge.inputs).toHaveLength(mustDecide ? 0 : 1);
        await expectSound(played);
      }
    },
  );

  test('B07: a policy without a name that asks for an approval has failed, and nothing is asked or run', async () => {
    const charge = counted('charge');
    const guard = { preToolUse: () => ToolDecision.requiresConfirmation('May it?') };
    const model = scriptedModel(script);
    const played = await play(mode, { model, tools: [charge.tool], hooks: [guard] });
    const { error } = expectStatus(played.result, 'failed');
    expect(error).toMatchObject({ point: 'preToolUse', kind: 'illegal' });
    expect(await played.store.pendingApprovals()).toEqual([]);
    expect(charge.inputs).toEqual([]);
  });

  test('B07: what a guard says after its limit is told of, and changes nothing', async () => {
    const charge = counted('charge');
    const guard = defineHooks({
      name: 'guard',
      options: { preToolUse: { timeoutMs: 10, failure: 'open' } },
      preToolUse: () => sleep(30).then(() => ToolDecision.block('too late')),
    });
    const model = scriptedModel([...script.slice(0, 1), async () => sleep(60).then(() => 'done')]);
    const played = await play(mode, { model, tools: [charge.tool], hooks: [guard] });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toHaveLength(1);
    const failures = played.heard.filter(({ type }) => type === 'hook.failed');
    expect(failures).toMatchObject([
      { policy: 'guard', kind: 'timed-out' },
      { policy: 'guard', late: true },
    ]);
  });

  test('B07: a guard that takes its time leaves no timer when the run is over', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const charge = counted('charge', { execute: async () => 'ok' });
      const guard = defineHooks({
        name: 'guard',
        preToolUse: async () => ToolDecision.allow(),
        preLlmRequest: async () => undefined,
      });
      const model = scriptedModel(script);
      const played = await play(mode, { model, tools: [charge.tool], hooks: [guard] });
      expectStatus(played.result, 'completed');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
