import { describe, expect, test } from 'vitest';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { RequestDecision } from '../../../src/decisions/request-decision.ts';
import { ResponseDecision } from '../../../src/decisions/response-decision.ts';
import type { AgentEvent } from '../../../src/events/event.ts';
import type { AgentHooks } from '../../../src/hooks/agent-hooks.ts';
import { defineHooks } from '../../../src/hooks/policy.ts';
import { fromAiSdk, type RetryOptions } from '../../../src/models/ai-sdk.ts';
import { ENDPOINTS, type Endpoint } from '../ai-sdk/endpoints.ts';
import { opening, openStream, type Reply, wireServer } from '../ai-sdk/wire-server.ts';
import { collect, request, uncancelled } from '../requests.ts';

const server = wireServer();
const quick: RetryOptions = { minDelayMs: 1, maxDelayMs: 2 };
const cut: Reply = (response, wire) => openStream(response).end(opening(wire));
const torn: Reply = async (response, wire) => {
  openStream(response).write(opening(wire));
  await new Promise((resolve) => setTimeout(resolve, 5));
  response.destroy();
};
const silent: Reply = (response, wire) => openStream(response).write(opening(wire));
const unanswered: Reply = () => undefined;
const good: Reply = { text: 'Hello world' };

type Mode = 'run' | 'hold' | 'live';

/** One turn over HTTP, with what was heard of it. */
async function play(
  mode: Mode,
  replies: readonly Reply[],
  { retry = quick, hooks = [], endpoint = ENDPOINTS[8] as Endpoint } = {} as {
    retry?: RetryOptions;
    hooks?: readonly AgentHooks[];
    endpoint?: Endpoint;
  },
) {
  server.answer(...replies);
  const model = fromAiSdk(endpoint.open(server.url), { retry });
  const streaming = mode === 'live' ? 'live' : 'hold';
  const agent = createAgent({ name: 'desk', model, hooks: [...hooks], streaming });
  const events: AgentEvent[] = [];
  agent.on('*', (event) => {
    events.push(event);
  });
  const input = { threadId: 't', message: 'hello' };
  if (mode === 'run') {
    const result = await agent.run(input);
    await agent.settled();
    return { result, events, agent };
  }
  const stream = agent.stream(input);
  for await (const _ of stream);
  const result = await stream.result;
  await agent.settled();
  return { result, events, agent };
}

const retries = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'llm.retrying' ? [event] : []));
const deltas = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'llm.delta' ? [event.text] : []));

describe.each(['run', 'hold', 'live'] as const)('a turn by %s', (mode) => {
  test('R02: that meets a rate limit goes on after it', async () => {
    const { result, events } = await play(mode, [{ status: 429 }, good]);
    expect(result).toMatchObject({ status: 'completed', text: 'Hello world' });
    expect(retries(events)).toMatchObject([{ attempt: 2, reason: 'rate-limited' }]);
    expect(server.received).toHaveLength(2);
    expect(server.received[1]?.body).toEqual(server.received[0]?.body);
  });

  test('R04: that meets a failing server goes on after it', async () => {
    const { result, events } = await play(mode, [{ status: 500 }, { status: 529 }, good]);
    expect(result).toMatchObject({ status: 'completed', text: 'Hello world' });
    expect(retries(events).map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [2, 'server-error'],
      [3, 'overloaded'],
    ]);
  });

  test('R01: that meets nothing but rate limits ends with that error, and the thread goes on', async () => {
    const limited = Array.from({ length: 3 }, () => ({ status: 429 }));
    const { result, events, agent } = await play(mode, limited);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'rate-limited', retryable: true },
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'error.raised', code: 'rate-limited' }),
    );
    expect(retries(events)).toHaveLength(2);
    expect(server.received).toHaveLength(3);
    server.answer(good);
    expect(await agent.run({ threadId: 't', message: 'and now?' })).toMatchObject({
      status: 'completed',
    });
  });

  test('R06: waits as long as the provider asked to, and says so', async () => {
    const asked = { status: 429, headers: { 'retry-after': '0', 'retry-after-ms': '150' } };
    const { events } = await play(mode, [asked, good]);
    expect(retries(events)).toMatchObject([{ delayMs: 150 }]);
    const [first, second] = server.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(149);
  });

  test('gives up at once when the provider asks for more patience than there is', async () => {
    const asked = { status: 429, headers: { 'retry-after': '61' } };
    const { result } = await play(mode, [asked]);
    expect(result).toMatchObject({ status: 'failed', error: { retryAfterMs: 61_000 } });
    expect(server.received).toHaveLength(1);
  });

  test.each([
    [401, 'auth-failed'],
    [400, 'invalid-request'],
    [413, 'context-overflow'],
    [402, 'quota-exceeded'],
  ])('a %i is not tried again', async (status, code) => {
    const { result } = await play(mode, [{ status }]);
    expect(result).toMatchObject({ status: 'failed', error: { code } });
    expect(server.received).toHaveLength(1);
  });

  test('a refusal is not tried again', async () => {
    const body = { error: { message: 'no', type: 'x', code: 'content_filter' } };
    const { result } = await play(mode, [{ status: 400, body }]);
    expect(result.status).toBe('refused');
    expect(server.received).toHaveLength(1);
  });

  test('H04, B03: policies are asked once for a call that takes three attempts, and what they changed is sent each time', async () => {
    let asked = 0;
    const hooks = defineHooks({
      name: 'mark',
      preLlmRequest: (request) => {
        asked += 1;
        return RequestDecision.modify({ ...request, settings: { temperature: 0.25 } });
      },
    });
    await play(mode, [{ status: 503 }, { status: 503 }, good], { hooks: [hooks] });
    expect(asked).toBe(1);
    expect(server.received.map(({ body }) => body['temperature'])).toEqual([0.25, 0.25, 0.25]);
  });

  test('B03: a block is no failure that is tried again', async () => {
    let asked = 0;
    const hooks = defineHooks({
      name: 'never',
      preLlmRequest: () => {
        asked += 1;
        return RequestDecision.block('no');
      },
    });
    const { result, events } = await play(mode, [good], { hooks: [hooks] });
    expect(result).toMatchObject({ status: 'blocked', by: 'never' });
    expect([asked, server.received.length, retries(events).length]).toEqual([1, 0, 0]);
  });

  test('B81: an error before the first part is a result, and nothing is left behind', async () => {
    const { result, events } = await play(mode, [{ status: 500 }], { retry: { maxRetries: 0 } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'server-error' } });
    expect(events.at(-1)).toMatchObject({ type: 'turn.finished', status: 'failed' });
  });
});

describe.each(ENDPOINTS)('$name', (endpoint) => {
  test.each([
    ['ends in the middle', cut],
    ['is torn', torn],
  ])(
    'R05: a held stream that %s begins again, and only the second one counts',
    async (_, broken) => {
      const { result, events } = await play('hold', [broken, good], { endpoint });
      expect(result).toMatchObject({ status: 'completed', text: 'Hello world' });
      expect(retries(events)).toMatchObject([{ attempt: 2, reason: 'network' }]);
      expect(deltas(events)).toEqual([]);
      expect(JSON.stringify(events)).not.toContain('Hello you');
      expect(result.usage.outputTokens).toBe(50);
    },
  );

  test('R05: a live stream that is torn takes back what it has shown, and begins again', async () => {
    const { result, events } = await play('live', [torn, good], { endpoint });
    expect(result).toMatchObject({ status: 'completed', text: 'Hello world' });
    const shown = events.filter(({ type }) =>
      ['llm.delta', 'text.retracted', 'llm.retrying', 'message.outgoing'].includes(type),
    );
    const order = shown.map((event) => (event.type === 'llm.delta' ? event.text : event.type));
    const back = order.indexOf('text.retracted');
    expect(order[back + 1]).toBe('llm.retrying');
    expect('Hello you').toContain(order.slice(0, back).join(''));
    expect(order.slice(back + 2, -1).join('')).toBe('Hello world');
    expect(order.at(-1)).toBe('message.outgoing');
  });

  test('R12: a stream that falls silent is closed and begins again', async () => {
    const { result, events } = await play('hold', [silent, good], {
      endpoint,
      retry: { ...quick, stallMs: 60 },
    });
    expect(result).toMatchObject({ status: 'completed', text: 'Hello world' });
    expect(retries(events)).toMatchObject([{ reason: 'timed-out' }]);
    await server.received[0]?.aborted;
  });
});

test.each(ENDPOINTS)(
  'R14: $name is sent a file of the history with every attempt',
  async ({ open }) => {
    server.answer({ status: 500 }, good, { status: 500 }, good);
    const data = 'iVBORw0KGgo=';
    const image = { type: 'file', mediaType: 'image/png', data } as const;
    const asked = request([
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
    ]);
    const model = fromAiSdk(open(server.url), { retry: quick });
    await model.generate(asked, uncancelled());
    await collect(model, asked);
    expect(server.received).toHaveLength(4);
    for (const { body } of server.received) expect(JSON.stringify(body)).toContain(data);
  },
);

test('a whole answer that never comes is given up, and asked for again', async () => {
  const { result, events } = await play('run', [unanswered, good], {
    retry: { ...quick, timeoutMs: 60 },
  });
  expect(result).toMatchObject({ status: 'completed' });
  expect(retries(events)).toMatchObject([{ reason: 'timed-out' }]);
  await server.received[0]?.aborted;
});

test('R12: with no retries left, a silent stream ends the turn, by our rule', async () => {
  const { result } = await play('hold', [silent], { retry: { maxRetries: 0, stallMs: 40 } });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'timed-out', retryable: true } });
});

test('an answer that is judged and rejected is asked for anew, with its own retries', async () => {
  let judged = 0;
  const hooks = defineHooks({
    name: 'picky',
    onLlmResponse: () => {
      judged += 1;
      return judged === 1 ? ResponseDecision.retryWithFeedback('again') : undefined;
    },
  });
  const replies = [{ status: 429 }, good, { status: 429 }, { status: 429 }, good];
  const { result, events } = await play('run', replies, { hooks: [hooks] });
  expect(result).toMatchObject({ status: 'completed', usage: { outputTokens: 100 } });
  expect(judged).toBe(2);
  expect(retries(events).map(({ attempt }) => attempt)).toEqual([2, 2, 3]);
});

test.each(['run', 'hold', 'live'] as const)(
  'a cancel ends the wait for a retry at once, by %s',
  async (mode) => {
    server.answer({ status: 429, headers: { 'retry-after': '30' } });
    const model = fromAiSdk((ENDPOINTS[0] as Endpoint).open(server.url));
    const streaming = mode === 'live' ? 'live' : 'hold';
    const agent = createAgent({ name: 'desk', model, streaming });
    const controller = new AbortController();
    agent.on('llm.retrying', () => controller.abort());
    const started = performance.now();
    const input = { message: 'hello', signal: controller.signal };
    const running = mode === 'run' ? agent.run(input) : agent.stream(input).result;
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(server.received).toHaveLength(1);
  },
);
