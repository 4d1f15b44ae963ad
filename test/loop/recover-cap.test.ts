import {
  type AgentHooks,
  defineHooks,
  ErrorDecision,
  ModelError,
  memoryStore,
  ResponseDecision,
  type RunResult,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { ofType } from '../acceptance/evidence.ts';
import { counted, expectStatus, MODES, play } from '../acceptance/play.ts';
import { callRead, desk, dyingStore, watched } from './desk.ts';

const CAP = 8;
const down = (): ModelError =>
  new ModelError('overloaded', { where: "model 'm'", what: 'it is busy', fix: 'Ask later' });
const recover = defineHooks({ name: 'optimist', onError: () => true });
const times = (count: number, entry: ScriptEntry): ScriptEntry[] =>
  Array.from({ length: count }, () => entry);

const recoveriesOf = async (store: ThreadStore): Promise<unknown> =>
  (await store.load('t'))?.state['recoveries'];

describe('L9: a recovery is committed before the next paid call', () => {
  test('L9: each is in the store before the model is called again, and an accepted answer ends them', async () => {
    const log: string[] = [];
    const store = watched(memoryStore(), ({ state }) =>
      log.push(`commit ${state['recoveries'] ?? '-'}`),
    );
    const script = [down(), down(), { toolCalls: [callRead] }, down(), 'good'];
    const { agent } = desk({ store, log, hooks: [recover], script });
    const result = await agent.run({ message: 'go' });
    expect(result).toMatchObject({ status: 'completed', steps: 5 });
    expect(log.filter((entry) => entry !== 'read')).toEqual([
      'commit -',
      'model',
      'commit 1',
      'model',
      'commit 2',
      'model',
      'commit -',
      'commit -',
      'model',
      'commit 1',
      'model',
      'commit -',
    ]);
  });

  test('L9: a recovery that cannot be stored ends the run before the next paid call', async () => {
    const inner = memoryStore();
    const { agent, model } = desk({
      store: dyingStore(inner, 1),
      hooks: [recover],
      script: [down(), 'good'],
    });
    await agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
    expect(model.calls).toBe(1);
    expect(await recoveriesOf(inner)).toBeUndefined();
  });
});

describe.each(MODES)('the cap of recoveries (%s)', (mode) => {
  const scene = (script: readonly ScriptEntry[], hooks: readonly AgentHooks[] = [recover]) => {
    const store = memoryStore();
    const { tool } = counted('read', { sideEffects: 'none' });
    return { model: scriptedModel(script), hooks, store, tools: [tool] };
  };

  test('L9: after eight in a row the next error ends the turn, naming policy and count', async () => {
    const set = scene([...times(20, down())]);
    const { result, heard, store } = await play(mode, set);
    const failed = expectStatus(result, 'failed');
    expect(failed.error).toMatchObject({
      name: 'RecoveryCapError',
      code: 'recovery-cap',
      policy: 'optimist',
      recoveries: CAP,
      cause: { code: 'overloaded' },
    });
    expect(failed.error.message).toContain(`policy 'optimist' at onError`);
    expect(failed.text).toBe('Sorry, something went wrong. Please try again.');
    expect(set.model.calls).toBe(CAP + 1);
    expect(await recoveriesOf(store)).toBe(CAP);
    const raised = ofType(heard, 'error.raised');
    expect(raised.map(({ details }) => details?.['recoveries'])).toEqual([
      ...Array.from({ length: CAP }, (_, index) => index + 1),
      undefined,
    ]);
    expect(raised.at(-1)).toMatchObject({ code: 'recovery-cap', name: 'RecoveryCapError' });
  });

  test('L9 twin: an answer after the eighth completes the turn', async () => {
    const { result, store } = await play(mode, scene([...times(CAP, down()), 'hello']));
    expect(result).toMatchObject({ status: 'completed', text: 'hello', steps: CAP + 1 });
    expect(await recoveriesOf(store)).toBeUndefined();
  });

  test('L9: what a milder answer than abort cannot do at the cap, a stricter one can', async () => {
    const late = defineHooks({
      name: 'late',
      onError: (_error, ctx) =>
        ctx.step > CAP ? ErrorDecision.fallback('Come back later.') : undefined,
    });
    const { result } = await play(mode, scene([...times(20, down())], [recover, late]));
    expect(result).toMatchObject({
      status: 'failed',
      text: 'Come back later.',
      error: { code: 'overloaded' },
    });
  });

  test('X25: the policies are told of the cap, and what they say changes nothing', async () => {
    const seen: string[] = [];
    const eager = defineHooks({
      name: 'eager',
      onError: ({ code }) => {
        seen.push(code);
        return code === 'recovery-cap' ? ErrorDecision.fallback('mine') : true;
      },
    });
    const set = scene([...times(20, down())], [eager]);
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ error: { code: 'recovery-cap' } });
    expect(expectStatus(result, 'failed').text).not.toBe('mine');
    expect(seen).toEqual([...times(CAP + 1, 'overloaded'), 'recovery-cap']);
    expect(set.model.calls).toBe(CAP + 1);
  });

  test('X11: seven recoveries, an accepted batch, seven more and an answer: the turn completes', async () => {
    const script = [...times(7, down()), { toolCalls: [callRead] }, ...times(7, down()), 'done'];
    const { result, store } = await play(mode, scene(script));
    expect(result).toMatchObject({ status: 'completed', text: 'done', steps: 16 });
    expect(await recoveriesOf(store)).toBeUndefined();
  });

  test('L9: a rejected answer ends neither the recoveries nor their own streak', async () => {
    const strict = defineHooks({
      name: 'strict',
      onLlmResponse: ({ text }) =>
        text === 'bad' ? ResponseDecision.retryWithFeedback('better') : undefined,
    });
    // 4 rejections and 9 errors in turns: the errors are too many first.
    const script = [
      down(),
      'bad',
      down(),
      'bad',
      down(),
      'bad',
      down(),
      'bad',
      ...times(9, down()),
    ];
    const { result, store } = await play(mode, scene(script, [recover, strict]));
    expect(result).toMatchObject({ error: { code: 'recovery-cap', recoveries: CAP }, steps: 13 });
    expect((await store.load('t'))?.state['streak']).toMatchObject({ count: 4 });
  });

  test('L9: the cap wins over a limit that is reached with it', async () => {
    const set = { ...scene([...times(20, down())]), limits: { steps: CAP + 1 } };
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'recovery-cap' } });
  });

  test('L9 twin: a limit that is reached before it wins', async () => {
    const set = { ...scene([...times(20, down())]), limits: { steps: CAP } };
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ status: 'limited', limit: 'steps', steps: CAP });
  });
});

describe('recoveries outlive what they happened in', () => {
  test('L9: eight steps, each driven by an agent of its own, and the ninth ends the turn', async () => {
    const store = memoryStore();
    let calls = 0;
    const step = (message?: string): Promise<RunResult> => {
      const { agent } = desk({
        store,
        hooks: [recover],
        script: [
          () => {
            calls += 1;
            return down();
          },
        ],
      });
      return agent.runStep({ threadId: 't', ...(message !== undefined && { message }) });
    };
    const results = [await step('go')];
    for (let more = 0; more < CAP; more += 1) results.push(await step());
    expect(results.map(({ status }) => status)).toEqual([
      ...Array.from({ length: CAP }, () => 'continues'),
      'failed',
    ]);
    expect(results.at(-1)).toMatchObject({
      error: { code: 'recovery-cap', recoveries: CAP },
      steps: CAP + 1,
    });
    expect(calls).toBe(CAP + 1);
  });

  test('L9: after the cap the count stays: the next turn gets no recovery until an answer is accepted', async () => {
    const store = memoryStore();
    const first = desk({ store, hooks: [recover], script: times(CAP + 1, down()) });
    await first.agent.run({ threadId: 't', message: 'go' });
    const second = desk({ store, hooks: [recover], script: [down(), 'hello', down(), 'again'] });
    const again = await second.agent.run({ threadId: 't', message: 'go' });
    expect(again).toMatchObject({ status: 'failed', error: { code: 'recovery-cap' }, steps: 1 });
    expect(await second.agent.run({ threadId: 't', message: 'go' })).toMatchObject({
      text: 'hello',
    });
    expect(await second.agent.run({ threadId: 't', message: 'go' })).toMatchObject({
      text: 'again',
      steps: 2,
    });
  });

  test('L9: where a user message ends the streak, it ends the recoveries too', async () => {
    const store = memoryStore();
    const more = { resetStreakOn: 'user-message' } as const;
    const script = [...times(CAP + 1, down()), down(), 'hello'];
    const { agent } = desk({ store, hooks: [recover], script, more });
    expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({ status: 'failed' });
    expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({ text: 'hello' });
  });

  test('L9: a state that was stored before there were recoveries goes on', async () => {
    const store = memoryStore();
    const { agent } = desk({ store, hooks: [recover], script: ['one', down(), 'two'] });
    await agent.run({ threadId: 't', message: 'go' });
    expect(Object.keys((await store.load('t'))?.state ?? {})).not.toContain('recoveries');
    expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({ text: 'two' });
  });
});
