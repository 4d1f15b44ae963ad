import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  defineHooks,
  ModelError,
  scriptedModel,
  ThreadBusyError,
  ToolResultDecision,
} from '../../src/index.ts';
import { agentFor, counted, expectStatus, MODES, play, sleep, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'charge' }] }, 'done', 'and more'];
const ended = (events: readonly AgentEvent[]) =>
  events.filter(({ type }) => type === 'turn.finished');

describe.each(MODES)('%s', (mode) => {
  test.each([
    ['ends with the error of the abort', true],
    ['goes on as if nothing was', false],
  ] as const)(
    'B23, B82: an abort while a tool runs that %s ends the turn once, with no further call',
    async (_how, listens) => {
      for (const sideEffects of ['none', 'once'] as const) {
        const abort = new AbortController();
        const charge = counted('charge', {
          sideEffects,
          execute: (ctx) => {
            setTimeout(() => abort.abort(), 5);
            return listens
              ? new Promise((_resolve, reject) => {
                  ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
                })
              : sleep(30).then(() => 'charged');
          },
        });
        const model = scriptedModel(script);
        const scene = { model, tools: [charge.tool], cancelGraceMs: 500 };
        const played = await play(mode, scene, { signal: abort.signal });
        expectStatus(played.result, 'cancelled');
        expect(model.calls).toBe(1);
        expect(ended(played.streamed)).toMatchObject([{ status: 'cancelled' }]);
        expect(played.streamed.at(-1)?.type).toBe('turn.finished');
        const result = resultsIn(await played.store.readMessages('t'))['1.1.0'];
        const finished = sideEffects === 'once' && !listens ? 'succeeded' : 'unknown';
        expect(result?.outcome).toBe(sideEffects === 'none' ? 'cancelled' : finished);
        await expectSound(played);
      }
    },
  );

  test('B23, without the abort: the model is called again', async () => {
    const charge = counted('charge', { execute: () => sleep(20) });
    const model = scriptedModel(script);
    const played = await play(mode, { model, tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    expect(model.calls).toBe(2);
  });

  test('B24: after a cancel nothing asks a failing tool again', async () => {
    const abort = new AbortController();
    const charge = counted('charge', {
      execute: () => {
        abort.abort();
        throw new Error('declined');
      },
    });
    const again = defineHooks({
      name: 'again',
      postToolUse: () => ToolResultDecision.modify({ output: 'try again' }),
    });
    const model = scriptedModel(Array.from({ length: 9 }, () => script[0] ?? ''));
    const scene = { model, tools: [charge.tool], hooks: [again] };
    const played = await play(mode, scene, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    expect(charge.inputs).toHaveLength(1);
    await expectSound(played);
  });

  test('B24, without the cancel: the model asks for the failing tool again and again', async () => {
    const charge = counted('charge', {
      execute: () => {
        throw new Error('declined');
      },
    });
    const model = scriptedModel(Array.from({ length: 9 }, () => script[0] ?? ''));
    const played = await play(mode, { model, tools: [charge.tool], limits: { steps: 6 } });
    expectStatus(played.result, 'limited');
    expect(charge.inputs).toHaveLength(6);
  });

  test('B26: an interrupt right after a tool is done keeps its result, and the tool does not run again', async () => {
    const abort = new AbortController();
    const charge = counted('charge');
    const interrupt = defineHooks({
      name: 'interrupt',
      postToolUse() {
        abort.abort();
      },
    });
    const model = scriptedModel(script, { strict: true });
    const scene = { model, tools: [charge.tool], hooks: [interrupt] };
    const played = await play(mode, scene, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    expectStatus(await played.agent.run({ threadId: 't', message: 'again' }), 'completed');
    expect(JSON.stringify(model.requests[1])).toContain('charge done');
    expect(charge.inputs).toHaveLength(1);
    await expectSound(played);
  });

  test('B81: an error before the first piece is a result and an end, and no stray rejection', async () => {
    const error = new ModelError('overloaded', { where: 'provider', what: 'busy', fix: 'Wait' });
    for (const failure of [error, new Error('socket hang up')]) {
      const played = await play(mode, { model: scriptedModel([failure]) });
      const result = expectStatus(played.result, 'failed');
      expect(result.error).toBeInstanceOf(ModelError);
      expect(played.streamed.map(({ type }) => type)).toContain('error.raised');
      expect(ended(played.streamed)).toMatchObject([{ status: 'failed' }]);
      await expectSound(played);
    }
  });

  test('B85: a signal that outlives a hundred runs is left without a listener by each', async () => {
    const abort = new AbortController();
    const { signal } = abort;
    const charge = counted('charge', { execute: (ctx) => String(ctx.signal.aborted) });
    const watches = defineHooks({
      name: 'watches',
      async preLlmRequest(_request, ctx) {
        await Promise.resolve(ctx.signal.aborted);
      },
    });
    const agent = agentFor(mode, {
      model: scriptedModel(Array.from({ length: 200 }, (_, i) => script[i % 2] ?? '')),
      tools: [charge.tool],
      hooks: [watches],
    });
    for (let i = 0; i < 100; i += 1) {
      const input = { threadId: `t${i}`, message: 'hello', signal };
      const result = mode.startsWith('stream') ? agent.stream(input).result : agent.run(input);
      expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
      expectStatus(await result, 'completed');
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });

  test('B85: so do runs that are refused', async () => {
    const { signal } = new AbortController();
    const store = stores()[0]?.[1]();
    const agent = agentFor(mode, { model: scriptedModel([]), ...(store && { store }) });
    await store?.claim('t', { holder: 'someone else', ttlMs: 60_000 });
    const input = { threadId: 't', message: 'hello', signal };
    const busy = mode.startsWith('stream') ? agent.stream(input).result : agent.run(input);
    await expect(busy).rejects.toThrow(ThreadBusyError);
    await expect(agent.resume({ threadId: 'unknown', signal })).rejects.toThrow();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('B87: an abort frees what waits for its turn: never started, answered, nothing hangs', async () => {
    const abort = new AbortController();
    const charge = counted('charge', {
      sideEffects: 'none',
      execute: () => {
        abort.abort();
        return sleep(10);
      },
    });
    const calls = Array.from({ length: 4 }, () => ({ name: 'charge' }));
    const model = scriptedModel([{ toolCalls: calls }, 'done'], { strict: true });
    const scene = { model, tools: [charge.tool], maxParallelTools: 1 };
    const played = await play(mode, scene, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    expect(charge.inputs).toHaveLength(1);
    const outcomes = Object.values(resultsIn(await played.store.readMessages('t')));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('cancelled'));
    expectStatus(await played.agent.run({ threadId: 't', message: 'again' }), 'completed');
    await expectSound(played);
  });
});

test('B82: cancelling through the agent says so once, to the run and to the one who cancels', async () => {
  const charge = counted('charge', { sideEffects: 'none', execute: () => sleep(1_000) });
  const agent = agentFor('run', { model: scriptedModel(script), tools: [charge.tool] });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => heard.push(event));
  const run = agent.run({ threadId: 't', message: 'hello' });
  while (charge.inputs.length === 0) await sleep(1);
  const [byRun, byCancel] = await Promise.all([run, agent.cancel('t')]);
  expectStatus(byRun, 'cancelled');
  expect(byCancel).toEqual(byRun);
  expect(ended(heard)).toMatchObject([{ status: 'cancelled' }]);
});
