import { createAgent, defineHooks, scriptedModel, ToolDecision, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Engine, type EngineTool, engineTool } from '../../src/loop/engine-tool.ts';

const plain = tool({
  name: 'ask',
  description: 'Asks',
  inputSchema: z.object({}),
  sideEffects: 'none',
  execute: () => 'run as a tool of an app',
});

function inEngine(runInEngine: EngineTool['runInEngine']): EngineTool {
  return engineTool({ ...plain, runInEngine });
}

const calls = [{ toolCalls: [{ name: 'ask' }] }, 'done'];

function agentWith(ask: typeof plain | EngineTool, ...hooks: ReturnType<typeof defineHooks>[]) {
  return createAgent({ name: 'a', model: scriptedModel(calls), tools: [ask], hooks });
}

describe('a tool of the engine', () => {
  test('is handed the policies, the moment and the record of the run', async () => {
    const seen: Engine[] = [];
    const ask = inEngine((_input, _ctx, engine) => {
      seen.push(engine);
      engine.record({ type: 'knowledge.found', callId: '1.1.0', passages: 3 });
      return engine.gate.has('postToolUse');
    });
    const agent = agentWith(ask);
    const heard: unknown[] = [];
    agent.on('knowledge.*', (event) => heard.push(event));
    const result = await agent.run({ message: 'go', threadId: 't' });
    expect(result.messages[2]).toMatchObject({ content: [{ output: false }] });
    expect(seen[0]?.moment).toEqual({ step: 1, attempt: 1, purpose: 'main' });
    expect(heard).toMatchObject([{ passages: 3, threadId: 't', turnId: result.turnId, step: 1 }]);
  });

  test('passes every hook like any other tool', async () => {
    const asked: string[] = [];
    const watcher = defineHooks({
      name: 'watcher',
      preToolUse: () => void asked.push('pre'),
      wrapToolUse: (invocation, next) => {
        asked.push('wrap');
        return next(invocation);
      },
      postToolUse: () => void asked.push('post'),
    });
    const ask = inEngine(() => {
      asked.push('run');
      return 'ok';
    });
    await agentWith(ask, watcher).run({ message: 'go' });
    expect(asked).toEqual(['pre', 'wrap', 'run', 'post']);
  });

  test('does not run when a policy refuses its call', async () => {
    let ran = false;
    const ask = inEngine(() => {
      ran = true;
      return 'ok';
    });
    const refuse = defineHooks({ name: 'refuse', preToolUse: () => ToolDecision.block('no') });
    await agentWith(ask, refuse).run({ message: 'go' });
    expect(ran).toBe(false);
  });

  test('is heard no more once its call was given up, while the turn goes on', async () => {
    let engine: Engine | undefined;
    const ask = inEngine((_input, _ctx, given) => {
      engine = given;
      return new Promise(() => {});
    });
    const model = scriptedModel([
      { toolCalls: [{ name: 'ask' }] },
      () => {
        engine?.record({ type: 'knowledge.found', callId: '1.1.0', passages: 3 });
        return 'done';
      },
    ]);
    const agent = createAgent({ name: 'a', model, tools: [{ ...ask, timeoutMs: 10 }] });
    const heard: unknown[] = [];
    agent.on('knowledge.*', (event) => heard.push(event));
    const result = await agent.run({ message: 'go' });
    expect(result.messages[2]).toMatchObject({
      content: [{ output: { error: 'Tool timed out. Do not claim success.' } }],
    });
    expect([result.status, heard]).toEqual(['completed', []]);
  });

  test('of an app is never one, whatever its members are called', async () => {
    let given: readonly unknown[] = [];
    const ask = {
      ...plain,
      run: (...args: readonly unknown[]) => {
        given = args;
        return 'run as a tool of an app';
      },
      runInEngine: () => 'run in the engine',
    };
    const result = await agentWith(ask).run({ message: 'go' });
    expect(result.messages[2]).toMatchObject({ content: [{ output: 'run as a tool of an app' }] });
    expect(given).toHaveLength(2);
    expect(given[1]).not.toHaveProperty('engine');
  });
});
