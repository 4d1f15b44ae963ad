import {
  type AgentHooks,
  type AgentHooksError,
  defineHooks,
  ErrorDecision,
  HookError,
  memoryStore,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  toolCallsOf,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { ofType, types } from '../acceptance/evidence.ts';
import { counted, expectStatus, MODES, play, sleep } from '../acceptance/play.ts';

const SORRY = 'Sorry, something went wrong. Please try again.';

type Answer = ReturnType<NonNullable<AgentHooks['onError']>>;

/** Answers every error with the same, and keeps what it was given. */
function answering(answer: () => Answer) {
  const seen: AgentHooksError[] = [];
  const hooks = defineHooks({
    name: 'keeper',
    onError: (error) => {
      seen.push(error);
      return answer();
    },
  });
  return { hooks, seen };
}

const scene = (script: readonly ScriptEntry[], hooks: readonly AgentHooks[] = []) => ({
  model: scriptedModel(script),
  hooks,
  store: memoryStore(),
});

describe.each(MODES)('an error a policy is only told of (%s)', (mode) => {
  const fails = (point: keyof AgentHooks) =>
    defineHooks({
      name: 'broken',
      [point]: () => {
        throw new Error('boom');
      },
    });
  const POINTS = ['onTurnStart', 'onUserMessage', 'preLlmRequest', 'onLlmResponse'] as const;

  test.each(POINTS)('X25: a closed failure at %s still ends the turn', async (point) => {
    const { hooks, seen } = answering(() => true);
    const set = scene(['hello', 'again'], [fails(point), hooks]);
    const { result, heard } = await play(mode, set);
    const failed = expectStatus(result, 'failed');
    expect(failed).toMatchObject({ text: SORRY, error: { code: 'hook-failed', point } });
    expect(seen).toMatchObject([{ name: 'HookError', code: 'hook-failed', point, kind: 'threw' }]);
    expect(HookError.isInstance(seen[0])).toBe(true);
    expect(set.model.calls).toBe(point === 'onLlmResponse' ? 1 : 0);
    expect(ofType(heard, 'hook.decided')).toMatchObject([
      { point: 'onError', decision: 'recover' },
    ]);
    expect(types(heard).at(-1)).toBe('turn.finished');
  });

  test.each([
    ['fallback', () => ErrorDecision.fallback('mine')],
    ['silent', () => ErrorDecision.silent()],
  ] as const)('X25: %s does not change what is shown for it', async (_name, answer) => {
    const { hooks } = answering(answer);
    const { result } = await play(mode, scene(['hello'], [fails('preLlmRequest'), hooks]));
    expect(result).toMatchObject({ status: 'failed', text: SORRY });
  });

  test('Z2: a request that a policy failed is told like a failed call', async () => {
    const { hooks, seen } = answering(() => undefined);
    await play(mode, scene(['hello'], [fails('preLlmRequest'), hooks]));
    expect(seen).toMatchObject([{ code: 'hook-failed', point: 'preLlmRequest', policy: 'broken' }]);
  });

  test('X25: a policy that failed around the call is not forgiven by another', async () => {
    const { hooks, seen } = answering(() => true);
    const broken = new HookError({ policy: 'broken', point: 'wrapLlmCall', kind: 'threw' });
    const set = scene([broken, 'hello'], [hooks]);
    const { result, heard } = await play(mode, set);
    expect(result).toMatchObject({ status: 'failed', error: { point: 'wrapLlmCall' } });
    expect(seen).toMatchObject([{ code: 'hook-failed', point: 'wrapLlmCall' }]);
    expect(set.model.calls).toBe(1);
    expect(ofType(heard, 'message.outgoing')).toMatchObject([{ fallback: 'hook-failure' }]);
  });

  test('X25: the retry cap still ends the turn', async () => {
    const { hooks, seen } = answering(() => true);
    const strict = defineHooks({
      name: 'strict',
      onLlmResponse: () => ResponseDecision.retryWithFeedback('no'),
    });
    const set = scene(
      Array.from({ length: 20 }, () => 'bad'),
      [hooks, strict],
    );
    const { result, heard } = await play(mode, set);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'response-retry-cap' } });
    const ends = ofType(heard, 'step.finished').map(({ outcome }) => outcome);
    expect(ends).toEqual(Array.from({ length: 8 }, () => 'rejected'));
    expect(set.model.calls).toBe(8);
    expect(seen).toMatchObject([{ code: 'response-retry-cap', streak: 8, policy: 'strict' }]);
  });

  test('X25: calls that no tool can take still end the turn', async () => {
    const { hooks, seen } = answering(() => true);
    const call = { toolCalls: [{ name: 'nothing' }] };
    const set = scene(
      Array.from({ length: 20 }, () => call),
      [hooks],
    );
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'unusable-calls' } });
    expect(seen).toMatchObject([{ code: 'unusable-calls' }]);
  });

  test('X25: a cancelled turn stays cancelled, and its policies hear of it with their signal aborted', async () => {
    const controller = new AbortController();
    const heard: unknown[] = [];
    const hooks = defineHooks({
      name: 'p',
      onError: (error, ctx) => {
        heard.push([error.code, ctx.signal.aborted]);
        return true;
      },
    });
    const stop = () => {
      controller.abort();
      return sleep(20).then(() => 'late');
    };
    const set = scene([stop, 'hello'], [hooks]);
    const { result } = await play(mode, set, { signal: controller.signal });
    expect(result.status).toBe('cancelled');
    expect(heard).toEqual([['turn-cancelled', true]]);
    expect(set.model.calls).toBe(1);
  });

  test('X25: what it does while it is told is stored with the end of the turn', async () => {
    const hooks = defineHooks({
      name: 'counter',
      onError: async (error, ctx) => {
        await sleep(1);
        ctx.memory.set('last', error.code);
        return undefined;
      },
    });
    const { store } = await play(mode, scene(['hello'], [fails('preLlmRequest'), hooks]));
    expect((await store.load('t'))?.memory).toEqual({ counter: { last: 'hook-failed' } });
  });

  test('X22: a policy that fails over a call is told, and the call keeps a result that says it did not run', async () => {
    const { hooks, seen } = answering(() => true);
    const script = [{ toolCalls: [{ name: 'look' }, { name: 'look' }] }, 'done'];
    const look = counted('look');
    const set = { ...scene(script, [fails('preToolUse'), hooks]), tools: [look.tool] };
    const { result, store } = await play(mode, set);
    expect(result).toMatchObject({ status: 'failed', error: { point: 'preToolUse' } });
    expect(seen).toMatchObject([{ code: 'hook-failed', point: 'preToolUse' }]);
    expect(look.inputs).toEqual([]);
    const outcomes = (await store.readMessages('t'))
      .flatMap(toolResultsOf)
      .map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['not-executed', 'not-executed']);
  });

  test.each([...POINTS, 'preToolUse'] as const)(
    'X25: a cancel while a policy is told of a failure at %s ends the turn cancelled',
    async (point) => {
      const controller = new AbortController();
      const codes: string[] = [];
      const slow = defineHooks({
        name: 'slow',
        onError: ({ code }) => {
          codes.push(code);
          if (code === 'turn-cancelled') return undefined;
          setTimeout(() => controller.abort(), 5);
          return new Promise<boolean>(() => undefined);
        },
      });
      const script = [{ text: '', toolCalls: [{ name: 'look' }] }, 'done'];
      const tools = [counted('look').tool];
      const set = { ...scene(script, [fails(point), slow]), tools };
      const { result, heard, store } = await play(mode, set, { signal: controller.signal });
      expect(result.status).toBe('cancelled');
      expect(codes).toEqual(['hook-failed', 'turn-cancelled']);
      expect(ofType(heard, 'message.outgoing')).toEqual([]);
      expect(types(heard).filter((type) => type === 'turn.finished')).toHaveLength(1);
      const messages = await store.readMessages('t');
      const calls = messages.flatMap(toolCallsOf);
      expect(calls).toHaveLength(point === 'preToolUse' ? 1 : 0);
      expect(messages.flatMap(toolResultsOf)).toMatchObject(
        calls.map(({ callId }) => ({ callId, outcome: 'not-executed' })),
      );
    },
  );

  test('Z8: one that fails while it is told changes nothing, and is not told of that', async () => {
    const { hooks, seen } = answering(() => {
      throw new Error('boom');
    });
    const { result, heard } = await play(mode, scene(['hello'], [fails('preLlmRequest'), hooks]));
    expect(result).toMatchObject({ error: { point: 'preLlmRequest', policy: 'broken' } });
    expect(seen).toHaveLength(1);
    expect(ofType(heard, 'hook.failed').map(({ point }) => point)).toEqual([
      'preLlmRequest',
      'onError',
    ]);
  });
});
