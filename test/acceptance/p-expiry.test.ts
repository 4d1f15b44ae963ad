import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defineHooks, scriptedModel, ToolDecision } from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const asks = (name: string, expiresInMs?: number) =>
  defineHooks({
    name,
    preToolUse: ({ approval }) =>
      approval === undefined
        ? ToolDecision.requiresConfirmation(
            `${name}?`,
            expiresInMs === undefined ? {} : { expiresInMs },
          )
        : undefined,
  });
const script = [{ toolCalls: [{ name: 'charge' }] }, 'done'];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each(stores())('%s store', (_name, open) => {
  const pause = async (options: { readonly wallTimeMs?: number } = {}) => {
    const charge = counted('charge');
    const scene = {
      store: open(),
      model: scriptedModel(script),
      tools: [charge.tool],
      hooks: [asks('patient'), asks('hasty', 1_000), asks('calm', 9_000)],
      limits: options,
    };
    return { charge, scene, paused: await play('run', scene) };
  };

  test('P11: one record holds every prompt and the earliest expiry', async () => {
    const { paused } = await pause();
    expect(expectStatus(paused.result, 'awaiting-approval').approvals).toMatchObject([
      {
        expiresAt: 1_001_000,
        requirements: [{ prompt: 'patient?' }, { prompt: 'hasty?' }, { prompt: 'calm?' }],
      },
    ]);
  });

  test('P11: at the very instant of its expiry an answer is too late, and nobody lists it any more', async () => {
    const { charge, paused } = await pause();
    vi.setSystemTime(1_001_000);
    expect(await paused.agent.pendingApprovals()).toEqual([]);
    const answered = paused.agent.resume({
      threadId: 't',
      answers: answersTo(paused.result, true),
    });
    await expect(answered).rejects.toMatchObject({ code: 'approval-expired' });
    const result = await paused.agent.resume({ threadId: 't' });
    expectStatus(result, 'completed');
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await paused.store.readMessages('t'))['1.1.0']).toEqual({
      outcome: 'denied',
      output: 'Not approved: nobody answered in time',
    });
    await expectSound(paused);
  });

  test('P11 twin: a millisecond earlier it counts', async () => {
    const { charge, paused } = await pause();
    vi.setSystemTime(1_000_999);
    expect(await paused.agent.pendingApprovals()).toHaveLength(1);
    const answers = answersTo(paused.result, true);
    expectStatus(await paused.agent.resume({ threadId: 't', answers }), 'completed');
    expect(charge.inputs).toHaveLength(1);
  });

  test('P07: the time a person takes does not count as time of the turn', async () => {
    const { charge, scene, paused } = await pause({ wallTimeMs: 500 });
    vi.advanceTimersByTime(900);
    const answers = answersTo(paused.result, true);
    const result = await agentFor('run', scene).resume({ threadId: 't', answers });
    expectStatus(result, 'completed');
    expect(charge.inputs).toHaveLength(1);
  });
});

describe.each(MODES)('%s', (mode) => {
  test('P07 twin: the time its policies and tools take does', async () => {
    const charge = counted('charge', {
      execute: () => {
        vi.advanceTimersByTime(600);
        return 'ok';
      },
    });
    const scene = {
      model: scriptedModel(script),
      tools: [charge.tool],
      limits: { wallTimeMs: 500 },
    };
    expect(expectStatus((await play(mode, scene)).result, 'limited').limit).toBe('wall-time');
  });
});
