import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  MessageDecision,
  RequestDecision,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
  ToolResultDecision,
} from '../../src/index.ts';
import { ofType, shown, transcript } from './evidence.ts';
import { counted, expectStatus, illegal, MODES, play, sleep } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const call = { toolCalls: [{ name: 'look' }] };

/** What a policy throws may be anything. */
function raise(value: unknown): never {
  throw value;
}

describe.each(MODES)('%s', (mode) => {
  test.each<[string, () => unknown]>([
    ['an Allow', () => ToolDecision.allow()],
    ['a Block', () => ToolDecision.block('no')],
    ['a retry', () => ToolDecision.retryWithFeedback('ask first')],
    [
      'an error with a Block as its cause',
      () => new Error('x', { cause: ToolDecision.block('no') }),
    ],
    [
      'an error that looks like a Block',
      () => Object.assign(new Error('x'), ToolDecision.block('no')),
    ],
  ])(
    'M-42, M-43: a gate that throws %s has failed: a decision is returned',
    async (_what, thrown) => {
      for (const late of [false, true]) {
        const look = counted('look');
        const model = scriptedModel([call, 'done']);
        const gate = defineHooks({
          name: 'gate',
          preToolUse: () => (late ? Promise.reject(thrown()) : raise(thrown())),
        });
        const played = await play(mode, { model, tools: [look.tool], hooks: [gate] });
        expect(expectStatus(played.result, 'failed').error).toMatchObject({
          code: 'hook-failed',
          kind: 'threw',
        });
        expect([look.inputs, model.calls]).toEqual([[], 1]);
        expect(ofType(played.heard, 'hook.decided')).toEqual([]);
        await expectSound(played);
      }
    },
  );

  test.each([
    ['onUserMessage', { onUserMessage: () => illegal(ResponseDecision.retryWithFeedback('x')) }],
    ['preLlmRequest', { preLlmRequest: () => illegal(ToolDecision.allow()) }],
    ['preLlmRequest', { preLlmRequest: () => illegal(ResponseDecision.accept()) }],
    ['onLlmResponse', { onLlmResponse: () => illegal(MessageDecision.proceed()) }],
  ])(
    'M-39, M-40, M-67: at %s the move of another point is a failure, and nothing goes through',
    async (point, methods) => {
      const model = scriptedModel(['xyzzy']);
      const played = await play(mode, { model, hooks: [{ name: 'odd', ...methods }] });
      expect(expectStatus(played.result, 'failed').error).toMatchObject({ kind: 'illegal', point });
      expect(model.calls).toBe(point === 'onLlmResponse' ? 1 : 0);
      const places = await placesOf('xyzzy', played);
      expect(
        places.filter((place) => mode !== 'stream live' || !/heard|streamed/.test(place)),
      ).toEqual([]);
    },
  );

  test('M-117, M-130: at a point that is open it keeps the value, means nothing else, and is told of', async () => {
    const look = counted('look');
    const model = scriptedModel([call, 'the answer']);
    const odd = defineHooks({
      name: 'odd',
      postToolUse: () => illegal(ToolDecision.retryWithFeedback('again')),
      onOutgoingMessage: () => illegal(ResponseDecision.retryWithFeedback('again')),
    });
    const played = await play(mode, { model, tools: [look.tool], hooks: [odd] });
    expect(expectStatus(played.result, 'completed').text).toBe('the answer');
    expect([model.calls, look.inputs.length]).toEqual([2, 1]);
    expect(JSON.stringify(model.requests[1])).toContain('look done');
    expect(ofType(played.heard, 'hook.failed')).toMatchObject([
      { point: 'postToolUse', kind: 'illegal', open: true },
      { point: 'onOutgoingMessage', kind: 'illegal', open: true },
    ]);
    expect(await placesOf('again', played)).toEqual([]);
  });

  test('M-41: being open is about failures: a retry of an open policy is followed', async () => {
    const open = defineHooks({
      name: 'open',
      options: { onLlmResponse: { failure: 'open' } },
      onLlmResponse: ({ text }) =>
        text === 'bad' ? ResponseDecision.retryWithFeedback('better') : undefined,
    });
    const model = scriptedModel(['bad', 'good']);
    const played = await play(mode, { model, hooks: [open] });
    expect(expectStatus(played.result, 'completed').text).toBe('good');
    expect(ofType(played.heard, 'hook.failed')).toEqual([]);
    const blocks = defineHooks({
      name: 'blocks',
      options: { preToolUse: { failure: 'open' } },
      preToolUse: () => ToolDecision.block('closed today'),
    });
    const look = counted('look');
    const refused = { model: scriptedModel([call, 'done']), tools: [look.tool], hooks: [blocks] };
    expectStatus((await play(mode, refused)).result, 'completed');
    expect(look.inputs).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['another text', () => sleep(100).then(() => ResponseDecision.modify({ text: 'too late' }))],
    ['an error', () => sleep(100).then(() => raise(new Error('too late')))],
  ])(
    'M-36, M-37: %s that comes after the limit of an open policy changes nothing, and is told of as late',
    async (_what, answer) => {
      const slow = defineHooks({
        name: 'slow',
        options: { onLlmResponse: { failure: 'open', timeoutMs: 10 } },
        onLlmResponse: () => illegal(answer()),
      });
      const played = await play(mode, { model: scriptedModel(['the answer']), hooks: [slow] });
      expect(expectStatus(played.result, 'completed').text).toBe('the answer');
      await sleep(150);
      expect(await placesOf('too late', played)).toEqual([]);
      expect(transcript(await played.store.readMessages('t'))).toContain('assistant: the answer');
      expect(ofType(played.heard, 'hook.failed')).toMatchObject([
        { kind: 'timed-out', open: true },
        { late: true },
      ]);
    },
  );

  test('M-17, M-32: a policy with time enough is waited for, and its answer is what goes on', async () => {
    const trims = defineHooks({
      name: 'trims',
      options: { onOutgoingMessage: { timeoutMs: 60_000 } },
      onOutgoingMessage: async ({ text }) => {
        await sleep(20);
        return MessageDecision.modify(text.trim());
      },
    });
    const played = await play(mode, { model: scriptedModel(['  hello  ']), hooks: [trims] });
    expect(expectStatus(played.result, 'completed').text).toBe('hello');
    expect(ofType(played.heard, 'message.outgoing')).toMatchObject([{ text: 'hello' }]);
    const cut = defineHooks({
      name: 'cut',
      options: { onOutgoingMessage: { timeoutMs: 5, failure: 'closed' } },
      onOutgoingMessage: () => sleep(30).then(() => undefined),
    });
    const late = await play(mode, { model: scriptedModel(['hello']), hooks: [cut] });
    expect(expectStatus(late.result, 'failed').error).toMatchObject({ kind: 'timed-out' });
    if (mode !== 'stream live') expect(shown(late.streamed)).not.toContain('hello');
  });

  test('M-34: a policy that changes what it was given has failed, and the given value is what counts', async () => {
    const model = scriptedModel([call, 'done']);
    const look = counted('look', { execute: () => ({ total: 30 }) });
    const writes = defineHooks({
      name: 'writes',
      options: { preLlmRequest: { failure: 'open' } },
      preLlmRequest: (request) => {
        // The types say that it is read-only.
        (request.messages as unknown[]).length = 0;
        return RequestDecision.proceed();
      },
      postToolUse: (_call, result) => {
        Object.assign(illegal(result.output), { total: 0 });
        return ToolResultDecision.keep();
      },
    });
    const played = await play(mode, { model, tools: [look.tool], hooks: [writes] });
    expectStatus(played.result, 'completed');
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
    expect(JSON.stringify(model.requests[1])).toContain('"total":30');
    expect(ofType(played.heard, 'hook.failed')).toMatchObject([
      { point: 'preLlmRequest', kind: 'threw' },
      { point: 'postToolUse', kind: 'threw' },
      { point: 'preLlmRequest', kind: 'threw' },
    ]);
  });

  test('M-35: a copy that is changed and given back as the rewrite counts', async () => {
    const model = scriptedModel([call, 'done']);
    const look = counted('look', { execute: () => ({ total: 30, secret: 'plugh-1' }) });
    const copies = defineHooks({
      name: 'copies',
      preLlmRequest: (request) => {
        const copy = structuredClone(request);
        Object.assign(copy.settings, { temperature: 0 });
        return RequestDecision.modify(copy);
      },
      postToolUse: (_call, result) => {
        const output = { ...(illegal(result.output) as Record<string, string>) };
        delete output['secret'];
        return ToolResultDecision.modify({ ...result, output });
      },
    });
    const played = await play(mode, { model, tools: [look.tool], hooks: [copies] });
    expectStatus(played.result, 'completed');
    expect(model.requests.map(({ settings }) => settings)).toEqual([
      { temperature: 0 },
      { temperature: 0 },
    ]);
    expect(await placesOf('plugh-1', played)).toEqual([]);
  });
});
