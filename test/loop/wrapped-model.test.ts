import {
  type AgentHooks,
  type ChatModel,
  type ChatStreamPart,
  ModelError,
  RequestDecision,
  ResponseDecision,
  scriptedModel,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { counted, expectStatus, MODES, play, sleep } from '../acceptance/play.ts';

type Wrap = NonNullable<AgentHooks['wrapLlmCall']>;
const wraps = (
  name: string,
  wrapLlmCall: Wrap,
  options: AgentHooks['options'] = {},
): AgentHooks => ({
  name,
  options,
  wrapLlmCall,
});

const NO_COST = { inputTokens: 0, outputTokens: 0 };
const text = (value: string): ChatStreamPart => ({ type: 'text', text: value });
const end = (tokens = 0): ChatStreamPart => ({
  type: 'finish',
  result: { finishReason: 'stop', usage: { inputTokens: tokens, outputTokens: tokens } },
});
const user = { role: 'user', content: [{ type: 'text', text: 'hello' }] };

/** A model that notes when its signal is aborted. */
function finishing(aborted: boolean[]): ChatModel {
  const scripted = scriptedModel(['whole']);
  const watch = (signal: AbortSignal): void =>
    signal.addEventListener('abort', () => aborted.push(true));
  return {
    id: 'm',
    generate: (request, options) => {
      watch(options.signal);
      return scripted.generate(request, options);
    },
    stream: (request, options) => {
      watch(options.signal);
      return scripted.stream(request, options);
    },
  };
}

describe.each(MODES)('around the model call (%s)', (mode) => {
  test('U-Y2: policies nest around every call of a turn, and its tools run', async () => {
    const log: string[] = [];
    const logs = (name: string) =>
      wraps(name, async function* (request, next, { step }) {
        log.push(`${name}${step}>`);
        yield* next(request);
        log.push(`<${name}${step}`);
      });
    const look = counted('look', { sideEffects: 'none' });
    const model = scriptedModel([
      { text: 'One moment.', reasoning: 'Hm.', toolCalls: [{ name: 'look', input: { id: 'x' } }] },
      'done',
    ]);
    const { result, store } = await play(mode, {
      model,
      tools: [look.tool],
      hooks: [logs('A'), logs('B')],
    });
    expect(expectStatus(result, 'completed').text).toBe('done');
    expect(look.inputs).toEqual([{ id: 'x' }]);
    expect(log).toEqual(['A1>', 'B1>', '<B1', '<A1', 'A2>', 'B2>', '<B2', '<A2']);
    expect(await store.readMessages('t')).toMatchObject([
      user,
      { content: [{ type: 'reasoning' }, { text: 'One moment.' }, { type: 'tool-call' }] },
      { role: 'tool' },
      { content: [{ text: 'done' }] },
    ]);
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 40 });
  });

  test('U-X5: one that does not call next is the answer, and nothing is called or paid', async () => {
    const model = scriptedModel([]);
    const cached = wraps('cache', async function* () {
      yield text('from the cache');
      // What it says of usage is what somebody paid another time.
      yield end(500);
    });
    const { result, store } = await play(mode, { model, hooks: [cached] });
    expect(expectStatus(result, 'completed').text).toBe('from the cache');
    expect(model.calls).toBe(0);
    expect(result.usage).toEqual(NO_COST);
    expect(await store.readMessages('t')).toMatchObject([user, { role: 'assistant' }]);
  });

  test('U-Y7: each call of next is paid once, also one whose end was dropped', async () => {
    const model = scriptedModel(['first', 'second', 'third']);
    const twice = wraps('twice', async function* (request, next) {
      for await (const part of next(request)) if (part.type === 'finish') break;
      for await (const _part of next(request));
      yield* next(request);
    });
    const { result, heard } = await play(mode, { model, hooks: [twice] });
    expect(expectStatus(result, 'completed').text).toBe('third');
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 60 });
    expect(heard.find(({ type }) => type === 'llm.responded')).toMatchObject({
      usage: result.usage,
    });
  });

  test('U-Y7: what the model threw may be caught, and what it cost counts', async () => {
    const usage = { inputTokens: 3, outputTokens: 0 };
    const busy = new ModelError('overloaded', { where: 'm', what: 'busy', fix: 'wait' }, { usage });
    const model = scriptedModel([busy, 'ok']);
    const again = wraps('again', async function* (request, next) {
      try {
        yield* next(request);
      } catch {
        yield* next(request);
      }
    });
    const { result } = await play(mode, { model, hooks: [again] });
    expect(expectStatus(result, 'completed').text).toBe('ok');
    expect(result.usage).toEqual({ inputTokens: 13, outputTokens: 20 });
  });

  test('twin: what nobody caught is the failure of the model', async () => {
    const busy = new ModelError('overloaded', { where: 'm', what: 'busy', fix: 'wait' });
    const passes = wraps('passes', (request, next) => next(request));
    const { result, heard } = await play(mode, { model: scriptedModel([busy]), hooks: [passes] });
    expect(expectStatus(result, 'failed').error).toMatchObject({ code: 'overloaded' });
    expect(heard.filter(({ type }) => type === 'hook.failed')).toEqual([]);
  });

  test('what it makes of the answer is judged, stored and shown, and nothing else', async () => {
    const model = scriptedModel(['the secret']);
    const hides = wraps('hides', async function* (request, next) {
      let whole = '';
      for await (const part of next(request)) {
        if (part.type === 'text') whole += part.text;
        else {
          yield text(whole.replace('secret', '***'));
          yield part;
        }
      }
    });
    const judged: string[] = [];
    const judge: AgentHooks = {
      name: 'judge',
      onLlmResponse: (response) => void judged.push(response.text),
    };
    const { result, store, heard } = await play(mode, { model, hooks: [hides, judge] });
    expect(expectStatus(result, 'completed').text).toBe('the ***');
    expect(judged).toEqual(['the ***']);
    expect(JSON.stringify([await store.readMessages('t'), heard, result])).not.toContain('secret');
  });

  test('its answer can be rejected like any other, and the next call is wrapped too', async () => {
    let calls = 0;
    const counts = wraps('counts', (request, next) => {
      calls += 1;
      return next(request);
    });
    const picky: AgentHooks = {
      name: 'picky',
      onLlmResponse: (response) =>
        response.text === 'good' ? undefined : ResponseDecision.retryWithFeedback('better'),
    };
    const { result } = await play(mode, {
      model: scriptedModel(['bad', 'good']),
      hooks: [counts, picky],
    });
    expect(expectStatus(result, 'completed').text).toBe('good');
    expect(calls).toBe(2);
  });

  test('U-Y6: another request is judged again and is what the model gets', async () => {
    const model = scriptedModel(['ok']);
    const rechecks: unknown[] = [];
    const judge: AgentHooks = {
      name: 'judge',
      preLlmRequest: (request, { recheck }) => void rechecks.push([recheck, request.settings]),
    };
    const cools = wraps('cools', (request, next) =>
      next({ ...request, settings: { temperature: 0 } }),
    );
    const { result } = await play(mode, { model, settings: { seed: 7 }, hooks: [judge, cools] });
    expectStatus(result, 'completed');
    expect(rechecks).toEqual([
      [false, {}],
      [true, { temperature: 0 }],
    ]);
    expect(model.requests[0]?.settings).toEqual({ seed: 7, temperature: 0 });
  });

  test('one that is blocked when it is judged ends the turn, and the model is not called', async () => {
    const model = scriptedModel(['first', 'never']);
    const judge: AgentHooks = {
      name: 'judge',
      preLlmRequest: (_request, { recheck }) =>
        recheck ? RequestDecision.block('not that one') : undefined,
    };
    const changes = wraps('changes', async function* (request, next) {
      for await (const _part of next(request));
      yield* next({ ...request, settings: { seed: 1 } });
    });
    const { result, store, heard } = await play(mode, {
      model,
      hooks: [judge, changes],
      fallbacks: { request: 'I cannot.' },
    });
    expect(expectStatus(result, 'blocked')).toMatchObject({
      by: 'judge',
      point: 'preLlmRequest',
      reason: 'not that one',
      text: 'I cannot.',
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    expect(model.calls).toBe(1);
    // The request it was sent with at first had passed.
    expect(await store.readMessages('t')).toMatchObject([user]);
    expect(heard.at(-1)).toMatchObject({ type: 'turn.finished', status: 'blocked' });
  });

  test.each([
    [
      'throws after the call',
      async function* (request, next) {
        yield* next(request);
        throw new Error('secret');
      } satisfies Wrap,
      30,
    ],
    [
      'gives no end',
      async function* (request, next) {
        for await (const part of next(request)) if (part.type !== 'finish') yield part;
      } satisfies Wrap,
      30,
    ],
    [
      'throws before it',
      (() => {
        throw new Error('secret');
      }) satisfies Wrap,
      0,
    ],
  ])(
    'one that %s fails the turn: nothing is stored or shown, what was paid counts',
    async (_what, wrap, tokens) => {
      const model = scriptedModel(['the answer']);
      const { result, store, streamed, heard } = await play(mode, {
        model,
        hooks: [wraps('bad', wrap)],
        fallbacks: { 'hook-failure': 'Sorry.' },
      });
      const failed = expectStatus(result, 'failed');
      expect(failed).toMatchObject({
        error: { code: 'hook-failed', policy: 'bad' },
        text: 'Sorry.',
      });
      expect(failed.usage.inputTokens + failed.usage.outputTokens).toBe(tokens);
      expect(await store.readMessages('t')).toMatchObject([user]);
      expect(heard.find(({ type }) => type === 'hook.failed')).toMatchObject({
        point: 'wrapLlmCall',
        open: false,
      });
      expect(JSON.stringify(heard)).not.toContain('secret');
      if (mode !== 'stream live') expect(JSON.stringify(streamed)).not.toContain('the answer');
      else if (streamed.some(({ type }) => type === 'llm.delta'))
        expect(streamed.map(({ type }) => type)).toContain('text.retracted');
    },
  );

  test('M-80: an empty answer is asked for again through the policies', async () => {
    let asked = 0;
    const counts = wraps('counts', (request, next) => {
      asked += 1;
      return next(request);
    });
    const { result, heard } = await play(mode, {
      model: scriptedModel(['', 'ok']),
      hooks: [counts],
    });
    expect(expectStatus(result, 'completed').text).toBe('ok');
    expect(asked).toBe(2);
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 40 });
    expect(heard.filter(({ type }) => type === 'llm.retrying')).toHaveLength(1);
  });

  test('a cancel ends it at once: the model is told, what was paid counts, nothing is stored of it', async () => {
    const signals: AbortSignal[] = [];
    const scripted = scriptedModel(['first', 'second']);
    const slow: ChatModel = {
      id: 'slow',
      generate: async (request, options) => {
        signals.push(options.signal);
        if (signals.length > 1) await new Promise(() => undefined);
        return scripted.generate(request, options);
      },
      async *stream(request, options) {
        signals.push(options.signal);
        if (signals.length > 1) await new Promise(() => undefined);
        yield* scripted.stream(request, options);
      },
    };
    const cleaned: string[] = [];
    const twice = wraps('twice', async function* (request, next) {
      try {
        for await (const _part of next(request));
        yield* next(request);
      } finally {
        cleaned.push('twice');
      }
    });
    const controller = new AbortController();
    const playing = play(mode, { model: slow, hooks: [twice] }, { signal: controller.signal });
    await sleep(20);
    controller.abort();
    const { result, store } = await playing;
    expect(expectStatus(result, 'cancelled').usage).toEqual({ inputTokens: 10, outputTokens: 20 });
    expect(await store.readMessages('t')).toMatchObject([user]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    await sleep(1);
    expect(cleaned).toEqual(['twice']);
  });

  test('a model that is left in the middle is told, and one that has finished is not', async () => {
    const aborted: boolean[] = [];
    const scripted = scriptedModel([{ text: 'a'.repeat(60) }, 'ok']);
    const model: ChatModel = {
      id: 'm',
      generate: (request, options) => {
        options.signal.addEventListener('abort', () => aborted.push(true));
        return scripted.generate(request, options);
      },
      stream: (request, options) => {
        options.signal.addEventListener('abort', () => aborted.push(true));
        return scripted.stream(request, options);
      },
    };
    const leaves = wraps('leaves', async function* (request, next) {
      for await (const _part of next(request)) break;
      yield* next(request);
    });
    const { result } = await play(mode, { model, hooks: [leaves] });
    expect(expectStatus(result, 'completed').text).toBe('ok');
    expect(aborted).toEqual([true]);
    const stops = wraps('stops', async function* (request, next) {
      for await (const part of next(request)) {
        yield part;
        if (part.type === 'finish') return;
      }
    });
    const again = await play(mode, { model: finishing(aborted), hooks: [stops] });
    expect(again.result).toMatchObject({ text: 'whole' });
    expect(aborted).toEqual([true]);
  });

  test('nor is one told that has failed, whoever leaves it then', async () => {
    const aborted: boolean[] = [];
    const watched = finishing(aborted);
    const fail = () => Promise.reject(new Error('down'));
    const model: ChatModel = {
      id: 'm',
      generate: (request, options) => watched.generate(request, options).then(fail),
      stream: (request, options) => {
        watched.stream?.(request, options);
        return { [Symbol.asyncIterator]: () => ({ next: fail }) };
      },
    };
    const leaves = wraps('leaves', async function* (request, next) {
      const parts = next(request)[Symbol.asyncIterator]();
      await parts.next().catch(() => parts.return?.());
      yield text('own');
      yield end();
    });
    const { result } = await play(mode, { model, hooks: [leaves] });
    expect(result).toMatchObject({ text: 'own' });
    expect(aborted).toEqual([]);
  });

  test('a signal that is read after the call was left is aborted', async () => {
    let late: boolean | undefined;
    const scripted = scriptedModel(['ok']);
    let calls = 0;
    const looks = async (signal: () => AbortSignal): Promise<void> => {
      calls += 1;
      if (calls > 1) return;
      await sleep(15);
      late = signal().aborted;
    };
    const model: ChatModel = {
      id: 'm',
      generate: async (request, options) => {
        await looks(() => options.signal);
        return scripted.generate(request, options);
      },
      async *stream(request, options) {
        await looks(() => options.signal);
        yield* scripted.stream(request, options);
      },
    };
    const hurries = wraps('hurries', async function* (request, next) {
      const first = next(request)[Symbol.asyncIterator]();
      void first.next();
      await sleep(2);
      await first.return?.();
      yield text('own');
      yield end();
    });
    const { result } = await play(mode, { model, hooks: [hurries] });
    expect(result).toMatchObject({ text: 'own' });
    await sleep(30);
    expect(late).toBe(true);
  });

  test('the model that answered is named, also where the policy wrote the end', async () => {
    const inner = scriptedModel(['ok']);
    const model: ChatModel = {
      id: 'router',
      generate: async (request, options) => ({
        ...(await inner.generate(request, options)),
        model: 'small',
      }),
      async *stream(request, options) {
        for await (const part of inner.stream(request, options))
          yield part.type === 'finish'
            ? { ...part, result: { ...part.result, model: 'small' } }
            : part;
      },
    };
    const rewrites = wraps('rewrites', async function* (request, next) {
      for await (const part of next(request)) yield part.type === 'finish' ? end() : part;
    });
    const { heard } = await play(mode, { model, hooks: [rewrites] });
    expect(heard.find(({ type }) => type === 'llm.responded')).toMatchObject({ model: 'small' });
  });

  test('U-AE1: a policy for one model leaves the others alone', async () => {
    const only = (id: string) =>
      wraps(`only ${id}`, async function* (request, next, { model }) {
        if (model !== id) yield* next(request);
        else {
          yield text(`for ${id}`);
          yield end();
        }
      });
    const model = scriptedModel(['plain'], { id: 'nemotron' });
    const other = await play(mode, { model, hooks: [only('other')] });
    expect(other.result).toMatchObject({ text: 'plain' });
    const mine = await play(mode, { model, hooks: [only('nemotron')] });
    expect(mine.result).toMatchObject({ text: 'for nemotron' });
  });

  test('X33: retries of the transport are below it: it is asked once', async () => {
    let asked = 0;
    const restarts: unknown[] = [];
    const scripted = scriptedModel(['ok']);
    const model: ChatModel = {
      id: 'm',
      generate: (request, options) => {
        restarts.push(options.restarts);
        options.onRetry?.({ attempt: 2, delayMs: 5, reason: 'overloaded' });
        return scripted.generate(request, options);
      },
      stream: (request, options) => {
        restarts.push(options.restarts);
        options.onRetry?.({ attempt: 2, delayMs: 5, reason: 'overloaded' });
        return scripted.stream(request, options);
      },
    };
    const counts = wraps('counts', async function* (request, next) {
      asked += 1;
      yield text('> ');
      yield* next(request);
    });
    const { result, heard } = await play(mode, { model, hooks: [counts] });
    expect(result).toMatchObject({ status: 'completed', text: '> ok' });
    expect(asked).toBe(1);
    // A policy cannot be made to forget what it has read.
    expect(restarts).toEqual([undefined]);
    const types = heard.map(({ type }) => type);
    expect(types.filter((type) => type === 'llm.retrying')).toHaveLength(1);
    expect(types).not.toContain('text.retracted');
  });
});
