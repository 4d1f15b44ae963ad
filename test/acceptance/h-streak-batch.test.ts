import { describe, expect, test } from 'vitest';
import {
  type Agent,
  type AgentOptions,
  createAgent,
  defineHooks,
  memoryStore,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { MODES } from './modes.ts';
import { counted } from './play.ts';

const FEEDBACK = 'plugh';
const rejectBad = defineHooks({
  name: 'reject-bad',
  onLlmResponse: ({ text }) =>
    text === 'bad' ? ResponseDecision.retryWithFeedback(FEEDBACK) : undefined,
});
const bad = (times: number): string[] => Array.from({ length: times }, () => 'bad');
const look = { toolCalls: [{ name: 'look' }] };

describe.each(MODES)('the streak and tool calls ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };

  test('H13: a batch that passed ends the streak too', async () => {
    const { tool } = counted('look', { sideEffects: 'none' });
    const model = scriptedModel([...bad(5), look, ...bad(7), look, ...bad(9)]);
    const agent = createAgent({ name: 'a', model, hooks: [rejectBad], tools: [tool] });
    expect(await turn(agent, input)).toMatchObject({
      status: 'failed',
      error: { code: 'response-retry-cap', streak: 8 },
    });
    expect(model.calls).toBe(5 + 1 + 7 + 1 + 8);
  });

  test('H13 twin: a batch that was rejected does not', async () => {
    const { tool, inputs } = counted('look', { sideEffects: 'none' });
    const model = scriptedModel([...bad(5), look, ...bad(9)]);
    const gate = defineHooks({
      name: 'gate',
      preToolUse: () => ToolDecision.retryWithFeedback(FEEDBACK),
    });
    const agent = createAgent({ name: 'a', model, hooks: [rejectBad, gate], tools: [tool] });
    expect(await turn(agent, input)).toMatchObject({ status: 'failed', error: { streak: 8 } });
    expect(model.calls).toBe(8);
    expect(inputs).toEqual([]);
  });
});

/** The answer that comes too late for a process which was ended in the middle of its call. */
const never = () => new Promise<never>(() => undefined);

const DYING: readonly (readonly [string, AgentOptions['streaming'], (agent: Agent) => unknown])[] =
  [
    ['run', undefined, (agent) => agent.run({ threadId: 't', message: 'go' })],
    ['stream held', 'hold', (agent) => agent.stream({ threadId: 't', message: 'go' })],
    ['stream live', 'live', (agent) => agent.stream({ threadId: 't', message: 'go' })],
    [
      'runStep',
      undefined,
      (agent) =>
        agent
          .runStep({ threadId: 't', message: 'go' })
          .then(() => agent.runStep({ threadId: 't' })),
    ],
  ];

test.each(DYING)(
  'H12: feedback whose delivery was cut off by a crash is delivered again, and then no more: %s',
  async (_mode, streaming, begin) => {
    const store = memoryStore();
    const first = scriptedModel(['bad', never]);
    const mode = streaming === undefined ? {} : { streaming };
    begin(createAgent({ name: 'a', model: first, store, hooks: [rejectBad], ...mode }));
    while (first.calls < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    const stored = await store.load('t');
    // What the next process finds: the state as it was stored, and nobody who holds the thread.
    const after = memoryStore();
    const { token } = await after.claim('t', { holder: 'x', ttlMs: 1_000 });
    const { state = {} } = stored ?? {};
    const nothing = { events: [], ledger: [], approvals: [], memory: {}, artifacts: [] };
    await after.commit('t', token, 0, {
      state,
      messages: await store.readMessages('t'),
      ...nothing,
    });
    await after.release('t', token);
    const { tool } = counted('look', { sideEffects: 'none' });
    const second = scriptedModel([look, 'good']);
    const agent = createAgent({
      name: 'a',
      model: second,
      store: after,
      hooks: [rejectBad],
      tools: [tool],
    });
    let result = await agent.runStep({ threadId: 't' });
    while (result.status === 'continues') result = await agent.runStep({ threadId: 't' });
    expect(result).toMatchObject({ status: 'completed', text: 'good' });
    const told = second.requests.map((request) => JSON.stringify(request).includes(FEEDBACK));
    expect(told).toEqual([true, false]);
  },
);
