import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  memoryStore,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
  toolCallsOf,
  toolResultsOf,
} from '../../src/index.ts';
import { ofType, shown, transcript } from './evidence.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const call = { toolCalls: [{ name: 'look', input: { id: 'a' }, id: 'their-1' }] };

describe.each(MODES)('%s', (mode) => {
  test('M-83: a response is judged before any of it is stored, shown or run', async () => {
    const store = memoryStore();
    const look = counted('look');
    const before: unknown[] = [];
    const heard: unknown[] = [];
    const judges = defineHooks({
      name: 'judges',
      onLlmResponse: async ({ text }) => {
        await Promise.resolve();
        const stored = JSON.stringify([
          await store.load('t'),
          await store.readEvents('t'),
          await store.readMessages('t'),
        ]);
        before.push([
          look.inputs.length,
          stored.includes(text),
          JSON.stringify(heard).includes(text),
        ]);
      },
      onEvent: (event) => {
        if (event.type !== 'llm.delta') heard.push(event);
      },
    });
    const script = [{ text: 'xyzzy', ...call }, 'plugh'];
    const scene = { store, model: scriptedModel(script), tools: [look.tool], hooks: [judges] };
    const played = await play(mode, scene);
    expectStatus(played.result, 'completed');
    expect(before).toEqual([
      [0, false, false],
      [1, false, false],
    ]);
    expect(await placesOf('plugh', played)).toContain('messages');
  });

  test('M-84: a rewritten text is what is shown, stored and given back, and the old one is nowhere', async () => {
    const rewrites = defineHooks({
      name: 'rewrites',
      onLlmResponse: () => ResponseDecision.modify({ text: 'plugh' }),
    });
    const played = await play(mode, { model: scriptedModel(['xyzzy']), hooks: [rewrites] });
    expect(expectStatus(played.result, 'completed').text).toBe('plugh');
    expect(ofType(played.heard, 'message.outgoing')).toMatchObject([{ text: 'plugh' }]);
    expect(transcript(await played.store.readMessages('t'))).toEqual([
      'user: hello',
      'assistant: plugh',
    ]);
    const places = await placesOf('xyzzy', played);
    if (mode === 'stream live') {
      // Its pieces had left, and are taken back.
      expect(places).toEqual(['heard', 'streamed']);
      expect(ofType(played.streamed, 'text.retracted')).toHaveLength(1);
    } else expect(places).toEqual([]);
  });

  test('M-85: a call that a policy leaves out does not run, and is in no history', async () => {
    const [look, order] = [counted('look'), counted('order')];
    const drops = defineHooks({
      name: 'drops',
      onLlmResponse: ({ toolCalls }) =>
        ResponseDecision.modify({
          toolCalls: toolCalls.filter(({ toolName }) => toolName !== 'order'),
        }),
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'order' }, { name: 'look' }] }, 'done'], {
      strict: true,
    });
    const played = await play(mode, { model, tools: [look.tool, order.tool], hooks: [drops] });
    expectStatus(played.result, 'completed');
    expect([order.inputs.length, look.inputs.length]).toEqual([0, 1]);
    expect(JSON.stringify(await played.store.readMessages('t'))).not.toContain('order');
    await expectSound(played);
  });

  test('M-86, M-98: a call in the place of a text runs under an id of the engine, and a text in the place of a call ends the turn', async () => {
    const look = counted('look');
    const calls = defineHooks({
      name: 'calls',
      onLlmResponse: ({ text }) =>
        text === 'look it up'
          ? ResponseDecision.modify({
              text: '',
              toolCalls: [{ toolName: 'look', input: { id: 'b' } }],
            })
          : undefined,
    });
    const model = scriptedModel(['look it up', 'done'], { strict: true });
    const played = await play(mode, { model, tools: [look.tool], hooks: [calls] });
    const { messages } = expectStatus(played.result, 'completed');
    expect([look.inputs, model.calls]).toEqual([[{ id: 'b' }], 2]);
    expect(messages.flatMap(toolCallsOf)).toMatchObject([{ callId: '1.1.0', toolName: 'look' }]);
    expect(messages.flatMap(toolResultsOf)).toMatchObject([
      { callId: '1.1.0', outcome: 'succeeded' },
    ]);
    const answers = defineHooks({
      name: 'answers',
      onLlmResponse: ({ toolCalls }) =>
        toolCalls.length > 0
          ? ResponseDecision.modify({ text: 'no need', toolCalls: [] })
          : undefined,
    });
    const other = counted('look');
    const asked = scriptedModel([call, 'never']);
    const ended = await play(mode, { model: asked, tools: [other.tool], hooks: [answers] });
    expect(expectStatus(ended.result, 'completed').text).toBe('no need');
    expect([other.inputs, asked.calls]).toEqual([[], 1]);
  });

  test('M-98: two calls of one id are no response', async () => {
    const look = counted('look');
    const doubles = defineHooks({
      name: 'doubles',
      onLlmResponse: ({ toolCalls }) =>
        ResponseDecision.modify({ toolCalls: [...toolCalls, ...toolCalls] }),
    });
    const played = await play(mode, {
      model: scriptedModel([call]),
      tools: [look.tool],
      hooks: [doubles],
    });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({ kind: 'invalid-rewrite' });
    expect(look.inputs).toEqual([]);
  });

  test('M-105, M-106, M-110: a call under another name and with other arguments is what is gated, runs and is told, with the id of its provider', async () => {
    const [look, find] = [counted('look'), counted('find')];
    const gated: unknown[] = [];
    const renames = defineHooks({
      name: 'renames',
      onLlmResponse: ({ toolCalls }) =>
        ResponseDecision.modify({
          toolCalls: toolCalls.map((one) => ({ ...one, toolName: 'find', input: { id: 'b' } })),
        }),
      preToolUse: ({ toolName, effectiveInput, providerCallId }) => {
        gated.push([toolName, effectiveInput, providerCallId]);
      },
    });
    const model = scriptedModel([call, 'done'], { strict: true });
    const played = await play(mode, { model, tools: [look.tool, find.tool], hooks: [renames] });
    const { messages } = expectStatus(played.result, 'completed');
    expect([look.inputs, find.inputs]).toEqual([[], [{ id: 'b' }]]);
    expect(gated).toEqual([['find', { id: 'b' }, 'their-1']]);
    expect(messages.flatMap(toolCallsOf)).toMatchObject([
      { toolName: 'find', input: { id: 'b' }, providerCallId: 'their-1' },
    ]);
    expect(messages.flatMap(toolResultsOf)).toMatchObject([
      { toolName: 'find', providerCallId: 'their-1' },
    ]);
  });

  test('U-AA2: arguments that fit no tool can be mended where the response is judged, and reach no gate as they are', async () => {
    const look = counted('look');
    const gated: unknown[] = [];
    const mends = (on: boolean) =>
      defineHooks({
        name: 'mends',
        onLlmResponse: ({ toolCalls }) =>
          on
            ? ResponseDecision.modify({
                toolCalls: toolCalls.map((one) => ({ ...one, input: { id: 'a' } })),
              })
            : undefined,
        preToolUse: ({ effectiveInput }) => {
          gated.push(effectiveInput);
        },
      });
    const broken = { toolCalls: [{ name: 'look', input: { id: 7 } }] };
    const scene = (on: boolean) => ({
      model: scriptedModel([broken, 'done']),
      tools: [look.tool],
      hooks: [mends(on)],
    });
    expectStatus((await play(mode, scene(false))).result, 'completed');
    expect([look.inputs, gated]).toEqual([[], []]);
    expectStatus((await play(mode, scene(true))).result, 'completed');
    expect([look.inputs, gated]).toEqual([[{ id: 'a' }], [{ id: 'a' }]]);
  });

  test('M-88: an answer of calls alone has an empty text', async () => {
    const texts: string[] = [];
    const reads = defineHooks({
      name: 'reads',
      onLlmResponse: ({ text }) => {
        texts.push(text);
      },
    });
    const look = counted('look');
    const played = await play(mode, {
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [reads],
    });
    expectStatus(played.result, 'completed');
    expect(texts).toEqual(['', 'done']);
    expect(ofType(played.heard, 'message.outgoing')).toHaveLength(1);
  });

  test('M-93, M-99: each answer to a retry is judged again, and the next request holds the last feedback only', async () => {
    const judged: string[] = [];
    const retries = defineHooks({
      name: 'retries',
      onLlmResponse: ({ text }) => {
        judged.push(text);
        return text === 'good' ? undefined : ResponseDecision.retryWithFeedback(`no-${text}`);
      },
    });
    const model = scriptedModel(['bad', 'worse', 'good']);
    const played = await play(mode, { model, hooks: [retries] });
    expectStatus(played.result, 'completed');
    expect(judged).toEqual(['bad', 'worse', 'good']);
    const told = model.requests.map((request) => JSON.stringify(request).match(/no-\w+/g));
    expect(told).toEqual([null, ['no-bad'], ['no-worse']]);
    if (mode !== 'stream live') expect(shown(played.streamed)).toBe('good');
  });

  test('X15: one streak counts rejected answers and rejected batches, and the cap names who rejected last', async () => {
    const look = counted('look');
    const retries = defineHooks({
      name: 'retries',
      onLlmResponse: ({ text }) =>
        text === 'bad' ? ResponseDecision.retryWithFeedback('x') : undefined,
      preToolUse: () => ToolDecision.retryWithFeedback('y'),
    });
    const model = scriptedModel(
      Array.from({ length: 9 }, (_, index) => (index % 2 === 0 ? 'bad' : call)),
    );
    const played = await play(mode, { model, tools: [look.tool], hooks: [retries] });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({
      code: 'response-retry-cap',
      streak: 8,
      point: 'preToolUse',
    });
    expect([model.calls, look.inputs]).toEqual([8, []]);
  });

  test('X16, X18: neither a limit of steps nor a Block ends the streak: the next run goes on with it', async () => {
    const store = memoryStore();
    const judges = defineHooks({
      name: 'judges',
      onLlmResponse: ({ text }) =>
        text === 'no' ? ResponseDecision.block('no') : ResponseDecision.retryWithFeedback('x'),
    });
    const run = (script: readonly string[], steps: number) =>
      play(mode, { store, model: scriptedModel(script), hooks: [judges], limits: { steps } });
    expectStatus((await run(['bad', 'bad', 'bad'], 3)).result, 'limited');
    expectStatus((await run(['bad', 'no'], 9)).result, 'blocked');
    const last = await run(['bad', 'bad', 'bad', 'bad', 'bad'], 9);
    expect(expectStatus(last.result, 'failed').error).toMatchObject({ streak: 8 });
    expect(last.result.steps).toBe(4);
  });
});
