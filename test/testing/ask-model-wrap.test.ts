import { ModelError, RequestDecision } from 'agent-hooks';
import { ask, assertAnswer, chatParts, chatRequest, user } from 'agent-hooks/testing';
import { describe, expect, test } from 'vitest';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { illegal } from './policies.ts';

type Wrap = NonNullable<AgentHooks['wrapLlmCall']>;

const request = chatRequest([user('Hi')]);
const other = chatRequest([user('Hi there')]);
const wraps = (wrapLlmCall: Wrap, more: Partial<AgentHooks> = {}) =>
  ask({ name: 'p', wrapLlmCall, ...more });
const passes: Wrap = (asked, next) => next(asked);
const hello = () => chatParts('Hello');

describe('ask — wrapLlmCall', () => {
  test('gives the parts and their text, and what the model was called with', async () => {
    expect(await wraps(passes).wrapLlmCall(request, hello)).toEqual({
      type: 'answered',
      policy: 'p',
      point: 'wrapLlmCall',
      memory: {},
      calls: [request],
      parts: chatParts('Hello'),
      text: 'Hello',
    });
  });

  test('changed parts are what came out', async () => {
    const answer = await wraps(async function* (asked, next) {
      for await (const part of next(asked))
        yield part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part;
    }).wrapLlmCall(request, hello);
    expect(answer).toMatchObject({ type: 'answered', text: 'HELLO' });
  });

  test('one that answers by itself has no call', async () => {
    const cached = wraps(async function* () {
      yield* chatParts('cached');
    });
    expect(await cached.wrapLlmCall(request, hello)).toMatchObject({ text: 'cached', calls: [] });
  });

  test('one may catch what the model throws and call again, and else it is the model that failed', async () => {
    const busy = new ModelError('overloaded', { where: 'model', what: 'busy', fix: 'Wait' });
    let tries = 0;
    const again: Wrap = async function* (asked, next) {
      try {
        yield* next(asked);
      } catch {
        yield* next(asked);
      }
    };
    const below = () => {
      tries += 1;
      if (tries === 1) throw busy;
      return hello();
    };
    expect(await wraps(again).wrapLlmCall(request, below)).toMatchObject({
      type: 'answered',
      text: 'Hello',
      calls: [request, request],
    });
    tries = 0;
    const failed = await wraps(passes).wrapLlmCall(request, below);
    expect(failed).toMatchObject({ type: 'model-failed', calls: [request] });
    expect(failed.type === 'model-failed' && failed.error).toBe(busy);
    const half = await wraps(passes).wrapLlmCall(request, async function* () {
      yield { type: 'text', text: 'Hel' } as const;
      throw busy;
    });
    expect(half).toMatchObject({ type: 'model-failed', text: 'Hel' });
  });

  test('another request is what the model gets, if the own gate of the policy lets it through', async () => {
    const changes: Wrap = (_asked, next) => next(other);
    expect(await wraps(changes).wrapLlmCall(request, hello)).toMatchObject({ calls: [other] });
    const refuses = { preLlmRequest: () => RequestDecision.block('not this') };
    expect(await wraps(changes, refuses).wrapLlmCall(request, hello)).toMatchObject({
      type: 'blocked',
      reason: 'not this',
      calls: [],
    });
    const misfit = wraps((asked, next) => next({ ...asked, tools: illegal([{ name: 'new' }]) }));
    expect(await misfit.wrapLlmCall(request, hello)).toMatchObject({
      type: 'failed',
      kind: 'invalid-rewrite',
      calls: [],
    });
  });

  test('a failure tells what was thrown, and what had come', async () => {
    const boom = new TypeError('boom');
    const breaks = wraps(async function* (asked, next) {
      for await (const part of next(asked)) {
        yield part;
        throw boom;
      }
    });
    const answer = await breaks.wrapLlmCall(request, hello);
    expect(answer).toMatchObject({
      type: 'failed',
      kind: 'threw',
      text: 'Hello',
      calls: [request],
    });
    expect(answer.type === 'failed' && answer.error.cause).toBe(boom);
    assertAnswer(answer, 'fail', 'threw');
  });

  test.each<[string, Wrap]>([
    ['gives no parts', () => illegal('Hello')],
    ['gives a promise', () => illegal(Promise.resolve('Hello'))],
    [
      'leaves out the end',
      async function* (asked, next) {
        for await (const part of next(asked)) if (part.type !== 'finish') yield part;
      },
    ],
  ])('one that %s has failed, also where that is open', async (_what, wrap) => {
    const options = { wrapLlmCall: { failure: 'open' } } as const;
    expect(await wraps(wrap).wrapLlmCall(request, hello)).toMatchObject({ kind: 'illegal' });
    expect(await wraps(wrap, { options }).wrapLlmCall(request, hello)).toMatchObject({
      type: 'failed',
      failure: 'open',
    });
  });

  test('one that hangs is cut off at its limit, and the model may take longer', async () => {
    const hangs = wraps(async function* () {
      yield* await new Promise<ReturnType<typeof chatParts>>(() => {});
    });
    expect(await hangs.wrapLlmCall(request, hello, { timeoutMs: 10 })).toMatchObject({
      type: 'failed',
      kind: 'timed-out',
    });
    const slow = async function* () {
      await new Promise((resolve) => setTimeout(resolve, 150));
      yield* hello();
    };
    expect(await wraps(passes).wrapLlmCall(request, slow, { timeoutMs: 100 })).toMatchObject({
      type: 'answered',
    });
  });

  test('a cancel is told as one', async () => {
    const controller = new AbortController();
    const asked = wraps(async function* (one, next) {
      for await (const part of next(one)) {
        yield part;
        controller.abort();
      }
    }).wrapLlmCall(request, hello, { signal: controller.signal });
    expect(await asked).toMatchObject({ type: 'cancelled', text: 'Hello', calls: [request] });
  });

  test.each([
    ['gives no part', [illegal({ type: 'txt' })]],
    ['does not end', [{ type: 'text', text: 'Hel' } as const]],
    ['goes on after its end', [...chatParts('Hello'), ...chatParts('again')]],
  ])(
    'a model of the test that %s is a mistake of the test, whatever the policy makes of it',
    async (_what, parts) => {
      const hides = wraps(async function* (asked, next) {
        try {
          for await (const _part of next(asked));
        } catch {
          // As a policy with a fallback does.
        }
        yield* chatParts('hidden');
      });
      await expect(hides.wrapLlmCall(request, () => parts)).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringContaining('chatParts('),
      });
    },
  );
});

describe('ask — systemPrompt', () => {
  const asks = (systemPrompt: NonNullable<AgentHooks['systemPrompt']>) =>
    ask({ name: 'p', systemPrompt });

  test('gives the prompt as the policy leaves it, and shows it what an agent would', async () => {
    const seen: unknown[] = [];
    const policy = asks((prompt, info) => {
      seen.push(info);
      return `${prompt} In ${info.site}.`;
    });
    const where = {
      purpose: 'judge',
      model: 'small',
      threadId: 't',
      turnId: '4',
      step: 2,
    } as const;
    expect(await policy.systemPrompt('Be kind.', where)).toEqual({
      type: 'answered',
      policy: 'p',
      point: 'systemPrompt',
      memory: {},
      value: 'Be kind. In judge.',
    });
    expect(seen).toEqual([{ site: 'judge', model: 'small', threadId: 't', turnId: '4', step: 2 }]);
    expect(await asks(() => undefined).systemPrompt('Be kind.')).toMatchObject({
      value: 'Be kind.',
    });
  });

  test('one that throws, or takes its time, has failed', async () => {
    const throws = asks(() => {
      throw new Error('boom');
    });
    expect(await throws.systemPrompt('x')).toMatchObject({ type: 'failed', kind: 'threw' });
    const late = await asks(() => illegal(Promise.resolve('x'))).systemPrompt('x');
    expect(late).toMatchObject({ type: 'failed', kind: 'illegal', failure: 'closed' });
    assertAnswer(late, 'fail', 'illegal');
    const options = { systemPrompt: { failure: 'open' } } as const;
    const open = ask({ name: 'p', options, systemPrompt: () => illegal(5) });
    expect(await open.systemPrompt('x')).toMatchObject({ type: 'failed', failure: 'open' });
  });
});

test('chatParts gives the parts of a whole answer, frozen', () => {
  const parts = chatParts({
    reasoning: 'Hm.',
    text: 'One moment.',
    toolCalls: [
      { name: 'look', input: { id: 7 } },
      { name: 'look', inputText: '{"id":', id: 'x' },
    ],
  });
  expect(parts).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'One moment.' },
    { type: 'tool-call', call: { id: 'call_1', toolName: 'look', inputText: '{"id":7}' } },
    { type: 'tool-call', call: { id: 'x', toolName: 'look', inputText: '{"id":' } },
    {
      type: 'finish',
      result: {
        id: 'msg_1',
        model: 'scripted',
        finishReason: 'tool-calls',
        usage: { inputTokens: 10, outputTokens: 20 },
      },
    },
  ]);
  expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
});
