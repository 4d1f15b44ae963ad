import { describe, expect, test } from 'vitest';
import {
  type AgentOptions,
  type ChatModel,
  type ChatStreamPart,
  createAgent,
  ModelError,
  type ModelPrice,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
} from '../../src/index.ts';
import { retryModel } from '../../src/models/retry.ts';
import { ofType, transcript, types } from './evidence.ts';
import { failingStore } from './failing-store.ts';
import { MODES } from './modes.ts';
import { onEveryStore } from './on-every-store.ts';
import { counted, expectStatus } from './play.ts';
import { expectAnswered, expectPairs } from './traces.ts';

const input = { threadId: 't', message: 'go' };
const again = { threadId: 't', message: 'again' };
const LOOK: ScriptEntry = { toolCalls: [{ name: 'look' }] };
/** In a currency for a million tokens; with it the answer `DEAR` costs 0.0075. */
const PRICE: ModelPrice = { input: 1.25, output: 5 };
const PRICES = { scripted: PRICE };
const DEAR: ScriptEntry = { text: 'done', usage: { inputTokens: 2_000, outputTokens: 1_000 } };

function build(
  store: ThreadStore,
  script: readonly ScriptEntry[],
  more: Partial<AgentOptions> = {},
) {
  const look = counted('look', { sideEffects: 'none' });
  const model = scriptedModel(script, { strict: true });
  return { agent: createAgent({ name: 'a', model, tools: [look.tool], store, ...more }), model };
}

/** An agent whose context is full after one turn, and the model that writes its summaries. */
function compacting(store: ThreadStore, more: Partial<AgentOptions>) {
  const writer = scriptedModel(['the gist'], { id: 'writer' });
  const compaction = { maxTokens: 150, keepTokens: 5, maxSummaryTokens: 20, model: writer };
  const script = [{ text: 'a short answer', usage: NOTHING }, LOOK, 'never'];
  return { writer, ...build(store, script, { compaction, ...more }) };
}

/** Its first attempt is paid for and breaks off, its second one asks for a tool; 150 tokens each. */
class BreaksOnce implements ChatModel {
  readonly id = 'scripted';
  attempts = 0;
  readonly #usage = { inputTokens: 100, outputTokens: 50 };

  async generate(): Promise<never> {
    throw new Error('only streamed in these tests');
  }

  async *stream(): AsyncGenerator<ChatStreamPart> {
    this.attempts += 1;
    if (this.attempts === 1) {
      yield { type: 'text', text: 'half' };
      const text = { where: 'model', what: 'the stream broke', fix: 'try again' };
      throw new ModelError('network', text, { usage: this.#usage });
    }
    yield { type: 'tool-call', call: { id: 'c', toolName: 'look', inputText: '{}' } };
    yield { type: 'finish', result: { finishReason: 'tool-calls', usage: this.#usage } };
  }
}

const NOTHING = { inputTokens: 0, outputTokens: 0 };
const THIRTY = { inputTokens: 10, outputTokens: 20 };
const long = { threadId: 't', message: 'a long question '.repeat(50) };

await onEveryStore((open) => {
  describe.each(MODES)('$name', ({ turn }) => {
    test('crate B01: a limit of tokens that a tool step has passed ends the turn, and is told', async () => {
      const store = open();
      const { agent, model } = build(store, [LOOK, 'never'], { limits: { tokens: 25 } });
      expect(await turn(agent, input)).toMatchObject({
        status: 'limited',
        limit: 'tokens',
        usage: THIRTY,
      });
      expect(model.calls).toBe(1);
      const events = await store.readEvents('t');
      expect(ofType(events, 'turn.finished')).toMatchObject([{ status: 'limited', usage: THIRTY }]);
      expectAnswered(await store.readMessages('t'));
    });

    test('crate B02: what a turn below its limits has cost is in the result, the event and the thread', async () => {
      const store = open();
      const { agent } = build(store, [DEAR], { prices: PRICES, limits: { cost: 1 } });
      expect(await turn(agent, input)).toMatchObject({ status: 'completed', cost: 0.0075 });
      const [end] = ofType(await store.readEvents('t'), 'turn.finished');
      expect(end).toMatchObject({ status: 'completed', cost: 0.0075 });
      expect((await store.load('t'))?.state).toMatchObject({ totals: { cost: 0.0075 } });
    });

    test('crate B04: without a price a turn completes and tells no cost', async () => {
      const store = open();
      const { agent } = build(store, [DEAR]);
      const result = await turn(agent, input);
      expectStatus(result, 'completed');
      expect(result).not.toHaveProperty('cost');
      const [end] = ofType(await store.readEvents('t'), 'turn.finished');
      expect(end).not.toHaveProperty('cost');
    });

    test('crate B05, B06, B13: a message over the limit of its thread calls nothing and leaves the history as it is, each time, until it is raised', async () => {
      const store = open();
      const limits = { thread: { tokens: 25 } };
      expectStatus(await turn(build(store, ['done'], { limits }).agent, input), 'completed');
      const before = JSON.stringify(await store.readMessages('t'));
      const over = build(store, ['never'], { limits });
      for (let attempt = 0; attempt < 2; attempt += 1) {
        expect(await turn(over.agent, again)).toMatchObject({
          status: 'limited',
          limit: 'thread-tokens',
          steps: 0,
          messages: [],
        });
        expect(JSON.stringify(await store.readMessages('t'))).toBe(before);
      }
      expect(over.model.calls).toBe(0);
      const raised = build(store, ['more'], { limits: { thread: { tokens: 1_000 } } });
      expectStatus(await turn(raised.agent, again), 'completed');
      expect(transcript(await store.readMessages('t'))).toEqual([
        'user: go',
        'assistant: done',
        'user: again',
        'assistant: more',
      ]);
      expect(raised.model.requests[0]?.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'user',
      ]);
      expectPairs(await store.readEvents('t'));
    });

    test.each([
      { row: 'crate B08', when: 'before the next call', tokens: 45, total: 60, calls: 2 },
      { row: 'crate B09', when: 'before the main call', tokens: 25, total: 30, calls: 1 },
    ])(
      '$row: what a summary has used counts, and ends the turn $when at a limit of $tokens tokens',
      async ({ tokens, total, calls }) => {
        const { agent, model, writer } = compacting(open(), { limits: { tokens } });
        expectStatus(await turn(agent, long), 'completed');
        const result = await turn(agent, again);
        expect(result).toMatchObject({ status: 'limited', limit: 'tokens' });
        expect(result.usage.inputTokens + result.usage.outputTokens).toBe(total);
        // One of the model's was for the turn before.
        expect(writer.calls + model.calls - 1).toBe(calls);
      },
    );

    test('crate B10: where a summary cannot be stored the run fails, with what it cost in its result', async () => {
      const inner = open();
      // Two for the first turn, one to say that the call for the summary may start, and then the summary.
      const store = failingStore(inner, (commit) => commit > 3);
      const { agent, model, writer } = compacting(store, {});
      expectStatus(await turn(agent, long), 'completed');
      const result = await turn(agent, again);
      expect(result).toMatchObject({
        status: 'failed',
        error: { code: 'store-failed' },
        usage: THIRTY,
      });
      expect([model.calls, writer.calls]).toEqual([1, 1]);
      expect(types(await inner.readEvents('t'))).not.toContain('context.compacted');
      store.repair();
      const last = await turn(build(inner, ['third']).agent, { ...again, message: 'more' });
      expectStatus(last, 'completed');
      expectAnswered(await inner.readMessages('t'));
    });
  });

  test.each([
    [200, 1],
    [301, 2],
  ])(
    'crate B14: a streamed attempt that broke off counts: at a limit of %i tokens the turn makes %i calls',
    async (tokens, steps) => {
      const store = open();
      const broken = new BreaksOnce();
      const model = retryModel(broken, { maxRetries: 1, minDelayMs: 1, maxDelayMs: 1 });
      const { agent } = build(store, [], { model, limits: { tokens }, streaming: 'live' });
      const stream = agent.stream(input);
      for await (const _event of stream);
      expect(await stream.result).toMatchObject({
        status: 'limited',
        limit: 'tokens',
        steps,
        usage: { inputTokens: 100 + 100 * steps, outputTokens: 50 + 50 * steps },
      });
      expect(broken.attempts).toBe(1 + steps);
      const [end] = ofType(await store.readEvents('t'), 'turn.finished');
      expect(end).toMatchObject({ usage: { inputTokens: 100 + 100 * steps } });
    },
  );

  test('crate B12: what a thread used before anybody had prices is priced once, with the first call that has one', async () => {
    const store = open();
    expectStatus(await build(store, [DEAR]).agent.run(input), 'completed');
    const priced = build(store, [DEAR, DEAR], { prices: PRICES });
    expect(await priced.agent.run(again)).toMatchObject({ status: 'completed', cost: 0.0075 });
    expect((await store.load('t'))?.state).toMatchObject({ totals: { cost: 0.015 } });
    expect(await priced.agent.run(again)).toMatchObject({ status: 'completed', cost: 0.0075 });
    expect((await store.load('t'))?.state).toMatchObject({ totals: { cost: 0.0225 } });
  });

  test('crate B12: so it counts for a limit of the thread, before the first call', async () => {
    const store = open();
    expectStatus(await build(store, [DEAR]).agent.run(input), 'completed');
    const over = (cost: number) =>
      build(store, ['never'], { prices: PRICES, limits: { thread: { cost } } });
    const stopped = over(0.0075);
    expect(await stopped.agent.run(again)).toMatchObject({ limit: 'thread-cost' });
    expect(stopped.model.calls).toBe(0);
    expectStatus(await over(0.0076).agent.run(again), 'completed');
  });

  test('crate B12: where the model of the agent has no price it counts as a call without one', async () => {
    const store = open();
    expectStatus(await build(store, [DEAR]).agent.run(input), 'completed');
    const options = { prices: { other: PRICE }, limits: { thread: { cost: 1 } } };
    const over = build(store, ['never'], options);
    expect(await over.agent.run(again)).toMatchObject({ limit: 'thread-cost' });
    const free = build(store, [DEAR], { ...options, unpriced: 'free' });
    expectStatus(await free.agent.run(again), 'completed');
  });
});

describe('crate B16: amounts that are none', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0.5])(
    'crate B16: tokens of %d fail the turn, and no limit is asked to add them up',
    async (inputTokens) => {
      const store = memoryStore();
      const odd = { text: 'done', usage: { inputTokens, outputTokens: 1 } };
      const options = { prices: PRICES, limits: { thread: { cost: 1, tokens: 100 } } };
      expect(await build(store, [odd], options).agent.run(input)).toMatchObject({
        status: 'failed',
        error: { code: 'invalid-response' },
        usage: NOTHING,
      });
      const next = await build(store, [DEAR], { prices: PRICES }).agent.run(again);
      expect(next).toMatchObject({ status: 'completed', cost: 0.0075 });
      expect((await store.load('t'))?.state).toMatchObject({ totals: { cost: 0.0075 } });
    },
  );

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1])(
    'crate B16: a price of %d is refused when the agent is built',
    (output) => {
      const prices = { scripted: { input: 1, output } };
      expect(() => build(memoryStore(), [], { prices })).toThrow(/prices\.scripted\.output/);
    },
  );

  test('crate B16: the name of the model that answered goes before the one that was asked', async () => {
    const alias: ChatModel = {
      id: 'latest',
      generate: async () => ({
        model: 'latest-2026',
        content: [{ type: 'text', text: 'done' }],
        finishReason: 'stop',
        usage: { inputTokens: 2_000, outputTokens: 1_000 },
      }),
      stream: () => {
        throw new Error('only whole answers in this test');
      },
    };
    const asked = { latest: { input: 100, output: 100 } };
    const cost = async (prices: Record<string, ModelPrice>) =>
      (await createAgent({ name: 'a', model: alias, prices }).run({ message: 'go' })).cost;
    expect(await cost({ ...asked, 'latest-2026': { input: 1.25, output: 5 } })).toBe(0.0075);
    expect(await cost(asked)).toBe(0.3);
  });
});
