import {
  type AgentEvent,
  createAgent,
  defineHooks,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, callRead, desk } from '../loop/desk.ts';

describe('agent.on — what an observer gets', () => {
  test('U-AC15, M-23, M-24: every event is frozen, deeply, also those about observers and for policies', async () => {
    const seen: AgentEvent[] = [];
    const watcher = defineHooks({ name: 'watcher', onEvent: (event) => void seen.push(event) });
    const { agent } = desk({
      script: [{ toolCalls: [callPay(5), callRead], text: 'ok' }, 'done'],
      hooks: [watcher],
      more: { streaming: 'live' },
    });
    agent.on('*', (event) => void seen.push(event));
    agent.on('turn.started', () => {
      throw new Error('x');
    });
    await agent.stream({ threadId: 't', message: 'go' }).result;
    await agent.endThread('t', 'over');
    expect(new Set(seen.map(({ type }) => type)).size).toBeGreaterThan(12);
    for (const event of seen) expectFrozen(event);
  });

  test('U-X12: also where nobody but a policy, or nobody but the reader of a stream, hears it', async () => {
    const script = [{ toolCalls: [callRead] }, 'done'];
    const seen: AgentEvent[] = [];
    const watcher = defineHooks({ name: 'watcher', onEvent: (event) => void seen.push(event) });
    await desk({ script, hooks: [watcher] }).agent.run({ threadId: 't', message: 'go' });
    expect(seen.map(({ type }) => type)).toContain('tool.succeeded');
    const { agent } = desk({ script });
    for await (const event of agent.stream({ threadId: 't', message: 'go' })) seen.push(event);
    expect(seen.filter(({ type }) => type === 'turn.finished')).toHaveLength(2);
    for (const event of seen) expectFrozen(event);
  });

  test('U-AC15: of arguments an event holds what the model asked for, never what a policy put in', async () => {
    const fills = defineHooks({
      name: 'fills',
      preToolUse: () => ToolDecision.modify({ euros: 987_654 }),
    });
    const { agent, log } = desk({ script: [{ toolCalls: [callPay(5)] }, 'done'], hooks: [fills] });
    const heard: AgentEvent[] = [];
    agent.on('*', (event) => heard.push(event));
    await agent.run({ message: 'go' });
    expect(log).toContain('pay 987654');
    expect(JSON.stringify(heard)).not.toContain('987654');
    expect(heard.filter((event) => JSON.stringify(event).includes('"euros":5'))).toMatchObject([
      { type: 'tool.called' },
    ]);
  });

  test('M-27: watching alone does not hold a stream back', async () => {
    const watcher = defineHooks({ name: 'watcher', onEvent: () => undefined });
    const model = scriptedModel(['one two three'], { chunkSize: 4, delayMs: 5 });
    const agent = createAgent({ name: 'a', model, hooks: [watcher] });
    agent.on('llm.responded', () => undefined);
    agent.on('tool.called', () => undefined);
    const types: string[] = [];
    for await (const { type } of agent.stream({ message: 'go' })) types.push(type);
    expect(types.indexOf('llm.delta')).toBeLessThan(types.indexOf('llm.responded'));
    expect(types.filter((type) => type === 'llm.delta').length).toBeGreaterThan(1);
  });

  test('M-29: observers hear the text that was shown, after every rewrite', async () => {
    const rewrites = defineHooks({
      name: 'rewrites',
      onLlmResponse: () => ResponseDecision.modify({ text: 'b' }),
    });
    const agent = createAgent({ name: 'a', model: scriptedModel(['a']), hooks: [rewrites] });
    const texts: string[] = [];
    agent.on('message.outgoing', ({ text }) => texts.push(text));
    await agent.run({ message: 'go' });
    expect(texts).toEqual(['b']);
  });

  test('M-30: observers hear what happened, also when the policy asked about it then fails', async () => {
    const broken = defineHooks({
      name: 'broken',
      preToolUse: () => {
        throw new Error('no');
      },
    });
    const { agent } = desk({ script: [{ toolCalls: [callRead] }], hooks: [broken] });
    const heard: string[] = [];
    agent.on('*', ({ type }) => heard.push(type));
    expect((await agent.run({ message: 'go' })).status).toBe('failed');
    expect(heard).toEqual(expect.arrayContaining(['llm.responded', 'tool.called', 'hook.failed']));
  });

  function expectFrozen(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    expect(Object.isFrozen(value), JSON.stringify(value)).toBe(true);
    for (const member of Object.values(value)) expectFrozen(member);
  }
});
