import {
  type AgentEvent,
  defineHooks,
  memoryStore,
  ResponseDecision,
  type ThreadChanges,
  ToolDecision,
  toolCallsOf,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, callRead, desk, watched } from './desk.ts';

const batch = { toolCalls: [callPay(5), callRead, callPay(6)] };

describe('L1: a state never holds the history', () => {
  test('L1: the stored state is as large after 40 turns as after 4', async () => {
    const sizes: number[] = [];
    const store = watched(memoryStore(), ({ state }) => sizes.push(JSON.stringify(state).length));
    const { agent } = desk({
      store,
      script: Array.from({ length: 40 }, () => 'a long answer '.repeat(50)),
    });
    for (let turn = 0; turn < 40; turn += 1)
      await agent.run({ threadId: 't', message: 'a long question '.repeat(50) });
    // Two commits a turn. Only the digits of counters may grow.
    expect(sizes).toHaveLength(80);
    expect(Math.max(...sizes.slice(40))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 8)) + 30);
  });
});

describe('L3: nothing of a batch runs before every call of it has been decided', () => {
  test('L3: all calls are judged, in order, before the first one runs', async () => {
    const log: string[] = [];
    const judge = defineHooks({
      name: 'judge',
      preToolUse: async (invocation) => {
        log.push(`judge ${invocation.batch.index}`);
        return undefined;
      },
    });
    await desk({ script: [batch, 'done'], hooks: [judge], log }).agent.run({ message: 'go' });
    expect(log.slice(0, 4)).toEqual(['model', 'judge 0', 'judge 1', 'judge 2']);
    expect(log.slice(4).toSorted()).toEqual(['model', 'pay 5', 'pay 6', 'read']);
  });
});

describe('L4: every tool call in the history has exactly one result', () => {
  const endings = {
    'a block': defineHooks({
      name: 'p',
      preToolUse: (i) => (i.batch.index === 1 ? ToolDecision.block('no') : undefined),
    }),
    'a failing policy': defineHooks({
      name: 'p',
      preToolUse: () => {
        throw new Error('broken');
      },
    }),
    'a confirmation that is cancelled': defineHooks({
      name: 'p',
      preToolUse: () => ToolDecision.requiresConfirmation('ok?'),
    }),
  };
  for (const [name, policy] of Object.entries(endings)) {
    test(`L4: after ${name}`, async () => {
      const { agent, store } = desk({ script: [batch, 'done'], hooks: [policy] });
      const result = await agent.run({ threadId: 't', message: 'go' });
      if (result.status === 'awaiting-approval') await agent.cancel('t');
      const messages = await store.readMessages('t');
      const calls = messages.flatMap(toolCallsOf).map(({ callId }) => callId);
      const results = messages.flatMap(toolResultsOf).map(({ callId }) => callId);
      expect(calls).toHaveLength(3);
      expect(results).toEqual(calls);
    });
  }
});

describe('L5: the streak is committed before the next paid call', () => {
  test('L5: each rejection is in the store before the model is called again, and an accepted batch resets it', async () => {
    const log: string[] = [];
    const store = watched(memoryStore(), ({ state }) =>
      log.push(`commit ${(state['streak'] as { count: number }).count}`),
    );
    const strict = defineHooks({
      name: 'strict',
      onLlmResponse: (response) =>
        response.text === 'bad' ? ResponseDecision.retryWithFeedback('better') : undefined,
    });
    await desk({
      store,
      log,
      hooks: [strict],
      script: ['bad', 'bad', { toolCalls: [callRead] }, 'good'],
    }).agent.run({ message: 'go' });
    expect(log.filter((entry) => entry !== 'read')).toEqual([
      'commit 0',
      'model',
      'commit 1',
      'model',
      'commit 2',
      'model',
      'commit 0',
      'commit 0',
      'model',
      'commit 0',
    ]);
  });
});

describe('L6: one turn.finished for every turn.started', () => {
  const explode = defineHooks({
    name: 'explode',
    onTurnStart: () => {
      throw new Error('broken');
    },
  });
  const cases = {
    'a plain answer': { script: ['hello'], hooks: [] },
    'a failing policy': { script: ['hello'], hooks: [explode] },
    'a failing model': { script: [new Error('down')], hooks: [] },
    'an exhausted script after tools': { script: [batch], hooks: [] },
  };
  for (const [name, { script, hooks }] of Object.entries(cases)) {
    test(`L6: for ${name}`, async () => {
      const { agent, store } = desk({ script, hooks });
      const heard: string[] = [];
      agent.on('turn.*', (event) => void heard.push(event.type));
      await agent.run({ threadId: 't', message: 'go' });
      expect(heard).toEqual(['turn.started', 'turn.finished']);
      const stored = (await store.readEvents('t')).filter((event) =>
        event.type.startsWith('turn.'),
      );
      expect(stored.map((event) => event.type)).toEqual(heard);
    });
  }
});

describe('L7: feedback is in a stored state until its first delivery, and in nothing else that is kept', () => {
  test('L7: the commit after the delivery holds it no more, and no message, event or result ever did', async () => {
    const commits: ThreadChanges[] = [];
    const heard: AgentEvent[] = [];
    const strict = defineHooks({
      name: 'strict',
      onLlmResponse: (response) =>
        response.text === 'bad' ? ResponseDecision.retryWithFeedback('SAY-IT-BETTER') : undefined,
    });
    const { agent, model } = desk({
      store: watched(memoryStore(), (changes) => commits.push(changes)),
      hooks: [strict],
      script: ['bad', 'good'],
    });
    agent.on('*', (event) => void heard.push(event));
    const result = await agent.run({ message: 'go' });
    const holds = (value: unknown) => JSON.stringify(value).includes('SAY-IT-BETTER');
    expect(commits.map(({ state }) => holds(state))).toEqual([false, true, false]);
    expect(model.requests.map((request) => holds(request.messages))).toEqual([false, true]);
    expect(commits.some(({ messages, events }) => holds(messages) || holds(events))).toBe(false);
    expect(holds(heard) || holds(result)).toBe(false);
  });
});

describe('L8: no paid call and no once tool starts before the store knows that it may have', () => {
  test('L8: the intent is committed before the call, and the ledger entry before the tool', async () => {
    const log: string[] = [];
    const store = watched(memoryStore(), ({ ledger }) =>
      log.push(`commit ${ledger.map((entry) => entry.status).join()}`),
    );
    await desk({ store, log, script: [{ toolCalls: [callPay(5)] }, 'done'] }).agent.run({
      message: 'go',
    });
    expect(log).toEqual([
      'commit ',
      'model',
      'commit intended',
      'pay 5',
      'commit finished',
      'model',
      'commit ',
    ]);
  });

  test('L8: a step costs two commits, a turn of n steps 2n', async () => {
    let commits = 0;
    const store = watched(memoryStore(), () => (commits += 1));
    const steps = Array.from({ length: 9 }, () => ({ toolCalls: [callRead] }));
    await desk({ store, script: [...steps, 'done'] }).agent.run({ message: 'go' });
    expect(commits).toBe(20);
  });
});
