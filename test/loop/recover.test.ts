import {
  type AgentHooks,
  type AgentHooksError,
  defineHooks,
  ErrorDecision,
  ModelError,
  memoryStore,
  RequestDecision,
  ResponseDecision,
  type RunResult,
  type ScriptEntry,
  scriptedModel,
  textOf,
  tool,
} from 'agent-hooks';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { ofType, transcript, types } from '../acceptance/evidence.ts';
import { expectStatus, MODES, play, sleep } from '../acceptance/play.ts';

const SORRY = 'Sorry, something went wrong. Please try again.';
const KEY = 'sk-live-0123456789abcdef';
const down = (): ModelError =>
  new ModelError(
    'overloaded',
    { where: "model 'm'", what: 'it is busy', fix: 'Ask later' },
    { cause: Object.assign(new Error('503'), { headers: { authorization: KEY } }) },
  );

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

/** What ends the turn with the usual text. */
const ABORTING: readonly (readonly [string, () => Answer])[] = [
  ['false', () => false],
  ['abort', () => ErrorDecision.abort()],
  ['nothing', () => undefined],
];

const scene = (script: readonly ScriptEntry[], hooks: readonly AgentHooks[] = []) => ({
  model: scriptedModel(script),
  hooks,
  store: memoryStore(),
});

describe.each(MODES)('a model call that fails (%s)', (mode) => {
  test('X24: true recovers: the same history is sent once more, and a step is spent', async () => {
    const { hooks } = answering(() => true);
    const asked: number[] = [];
    const watch = defineHooks({
      name: 'watch',
      preLlmRequest: (_request, ctx) => void asked.push(ctx.step),
    });
    const set = scene([down(), 'hello'], [hooks, watch]);
    const { result, heard, store } = await play(mode, set);
    expect(result).toMatchObject({ status: 'completed', text: 'hello', steps: 2 });
    const [first, second] = set.model.requests;
    expect(second?.messages).toEqual(first?.messages);
    expect(asked).toEqual([1, 2]);
    expect(ofType(heard, 'step.finished').map(({ outcome }) => outcome)).toEqual([
      'ended',
      'accepted',
    ]);
    expect(ofType(heard, 'hook.decided')).toMatchObject([
      { policy: 'keeper', point: 'onError', decision: 'recover', step: 1 },
    ]);
    expect(ofType(heard, 'error.raised')).toMatchObject([
      { code: 'overloaded', name: 'ModelError', details: { recoveries: 1 }, step: 1 },
    ]);
    expect(transcript(await store.readMessages('t'))).toEqual(['user: hello', 'assistant: hello']);
  });

  test('X24: a promise of true recovers too', async () => {
    const { hooks } = answering(async () => {
      await sleep(1);
      return true;
    });
    const { result } = await play(mode, scene([down(), 'hello'], [hooks]));
    expect(result).toMatchObject({ status: 'completed', text: 'hello' });
  });

  test.each(ABORTING)('X24: %s surfaces the error', async (_name, answer) => {
    const { hooks } = answering(answer);
    const set = scene([down(), 'hello'], [hooks]);
    const { result, heard } = await play(mode, set);
    const failed = expectStatus(result, 'failed');
    expect(failed).toMatchObject({ text: SORRY, steps: 1, error: { code: 'overloaded' } });
    expect(failed.error.cause).toMatchObject({ message: '503' });
    expect(set.model.calls).toBe(1);
    expect(ofType(heard, 'message.outgoing')).toMatchObject([
      { text: SORRY, fallback: 'error', isFinal: true },
    ]);
    expect(ofType(heard, 'error.raised')).toMatchObject([{ code: 'overloaded' }]);
  });

  test('X24 twin: without a policy the error surfaces the same', async () => {
    const { result } = await play(mode, scene([down(), 'hello']));
    expect(result).toMatchObject({ status: 'failed', text: SORRY, error: { code: 'overloaded' } });
  });

  test('X11: a text of the policy is shown in the place of the usual one, once, and the turn ends', async () => {
    const { hooks } = answering(() => ErrorDecision.fallback('We are closed.'));
    const set = scene([down(), 'hello'], [hooks]);
    const { result, heard, store } = await play(mode, set);
    expect(result).toMatchObject({
      status: 'failed',
      text: 'We are closed.',
      error: { code: 'overloaded' },
    });
    expect(ofType(heard, 'message.outgoing')).toMatchObject([
      { text: 'We are closed.', fallback: 'error', isFinal: true },
    ]);
    expect(transcript(await store.readMessages('t'))).toEqual(['user: hello']);
  });

  test('X11: silent ends the turn and shows nothing', async () => {
    const { hooks } = answering(() => ErrorDecision.silent());
    const { result, heard } = await play(mode, scene([down(), 'hello'], [hooks]));
    expect(result).toMatchObject({ status: 'failed', text: '', error: { code: 'overloaded' } });
    expect(ofType(heard, 'message.outgoing')).toEqual([]);
    expect(ofType(heard, 'error.raised')).toHaveLength(1);
  });

  test('X22: the text is heard before the turn ends', async () => {
    const { heard } = await play(mode, scene([down()]));
    expect(types(heard).slice(-4)).toEqual([
      'message.outgoing',
      'error.raised',
      'step.finished',
      'turn.finished',
    ]);
  });

  test('X24: the policy gets the error as this process knows it, and nothing of the provider', async () => {
    const { hooks, seen } = answering(() => true);
    await play(mode, scene([down(), 'hello'], [hooks]));
    const [error] = seen;
    expect(ModelError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: 'overloaded', retryable: true });
    expect(error?.cause).toBeUndefined();
    expect(Object.isFrozen(error)).toBe(true);
  });

  test('X24: an error a model does not explain is asked about as a ModelError', async () => {
    const { hooks, seen } = answering(() => true);
    const set = scene([new Error(`no route, key ${KEY}`), 'hello'], [hooks]);
    const { result } = await play(mode, set);
    expect(result.status).toBe('completed');
    expect(seen).toMatchObject([{ name: 'ModelError', code: 'model-failed' }]);
    expect(`${seen[0]?.message} ${seen[0]?.stack}`).not.toContain(KEY);
  });

  test('X24: a refusal of the provider is no error', async () => {
    const { hooks, seen } = answering(() => true);
    const refused = { text: '', finishReason: 'content-filter' } as const;
    const { result } = await play(mode, scene([refused, 'hello'], [hooks]));
    expect(result.status).toBe('refused');
    expect(seen).toEqual([]);
  });

  test('X24: feedback that reached nobody is in the request after the recovery, and in no later one', async () => {
    const { hooks } = answering(() => true);
    const strict = defineHooks({
      name: 'strict',
      onLlmResponse: ({ text }) =>
        text === 'bad' ? ResponseDecision.retryWithFeedback('DO-BETTER') : undefined,
    });
    const set = scene(['bad', down(), 'good', 'again'], [hooks, strict]);
    const { result, agent, store } = await play(mode, set);
    expect(result).toMatchObject({ status: 'completed', text: 'good', steps: 3 });
    await agent.run({ threadId: 't', message: 'more' });
    const held = set.model.requests.map((request) => JSON.stringify(request).includes('DO-BETTER'));
    expect(held).toEqual([false, true, true, false]);
    expect(JSON.stringify(await store.load('t'))).not.toContain('DO-BETTER');
  });

  test('X24: the request of a recovery is judged like any other', async () => {
    const { hooks } = answering(() => true);
    const once = defineHooks({
      name: 'once',
      preLlmRequest: (_request, ctx) =>
        ctx.step > 1 ? RequestDecision.block('enough') : undefined,
    });
    const set = scene([down(), 'hello'], [hooks, once]);
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ status: 'blocked', by: 'once', reason: 'enough' });
    expect(set.model.calls).toBe(1);
  });

  test.each([
    ['steps', { steps: 1 }],
    ['tokens', { tokens: 5 }],
    ['thread-steps', { thread: { steps: 1 } }],
  ] as const)('X24: a recovery does not pass the limit of %s', async (limit, limits) => {
    const { hooks } = answering(() => true);
    const paid = new ModelError(
      'server-error',
      { where: "model 'm'", what: 'it broke', fix: 'Ask later' },
      { usage: { inputTokens: 5, outputTokens: 0 } },
    );
    const set = { ...scene([paid, 'hello'], [hooks]), limits };
    const { result, heard } = await play(mode, set);
    expect(result).toMatchObject({ status: 'limited', limit, usage: { inputTokens: 5 } });
    expect(set.model.calls).toBe(1);
    expect(ofType(heard, 'message.outgoing')).toMatchObject([{ fallback: 'limit' }]);
  });

  test('X24 twin: below the limit it goes on', async () => {
    const { hooks } = answering(() => true);
    const { result } = await play(mode, {
      ...scene([down(), 'ok'], [hooks]),
      limits: { steps: 2 },
    });
    expect(result).toMatchObject({ status: 'completed', steps: 2 });
  });

  test('Z8: a policy that throws over the error ends the turn with the usual text', async () => {
    const asked = vi.fn(() => {
      throw new Error('boom');
    });
    const { result, heard } = await play(mode, scene([down(), 'hello'], [answering(asked).hooks]));
    const failed = expectStatus(result, 'failed');
    expect(failed).toMatchObject({ text: SORRY, error: { code: 'overloaded' } });
    expect(asked).toHaveBeenCalledOnce();
    expect(ofType(heard, 'hook.failed')).toMatchObject([
      { policy: 'keeper', point: 'onError', kind: 'threw', open: false },
    ]);
    expect(JSON.stringify(heard)).not.toContain('boom');
  });

  test('X24: a cancel while a policy thinks about the error ends the turn cancelled', async () => {
    const controller = new AbortController();
    const told: string[] = [];
    const hooks = defineHooks({
      name: 'slow',
      onError: (error) => {
        told.push(error.code);
        if (error.code === 'turn-cancelled') return true;
        setTimeout(() => controller.abort(), 5);
        return new Promise<boolean>(() => undefined);
      },
    });
    const set = scene([down(), 'hello'], [hooks]);
    const { result, heard } = await play(mode, set, { signal: controller.signal });
    expect(result.status).toBe('cancelled');
    expect(set.model.calls).toBe(1);
    expect(told).toEqual(['overloaded', 'turn-cancelled']);
    expect(types(heard).filter((type) => type === 'turn.finished')).toHaveLength(1);
  });
});

test('X24: with resume, a turn whose call fails after the approval is recovered', async () => {
  const { hooks } = answering(() => true);
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    execute: () => 'paid',
  });
  const set = {
    ...scene([{ toolCalls: [{ name: 'pay' }] }, down(), 'done'], [hooks]),
    tools: [pay],
  };
  const { agent, result } = await play('run', set);
  const { approvals } = expectStatus(result, 'awaiting-approval');
  const answers = approvals.map(({ approvalId }) => ({ approvalId, approved: true, by: 'boss' }));
  const resumed: RunResult = await agent.resume({ threadId: 't', answers });
  expect(resumed).toMatchObject({ status: 'completed', text: 'done', steps: 3 });
  expect(resumed.messages.map(textOf)).toContain('done');
});
