import { setImmediate as tick } from 'node:timers/promises';
import {
  type AgentHooks,
  type AgentOptions,
  createAgent,
  parallel,
  scriptedModel,
  ToolDecision,
  tool,
} from 'agent-hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Longer than a policy may take. */
function takeLong(): true {
  vi.advanceTimersByTime(20_000);
  return true;
}

async function takeLongLater(): Promise<true> {
  await tick();
  return takeLong();
}

/** A policy that answers as soon as it can, though not at once. */
function quick(point: keyof AgentHooks): AgentHooks {
  return { name: `quick-${point}`, [point]: () => tick() };
}

function look(more: Partial<Parameters<typeof tool>[0]> = {}) {
  const inputSchema = z.object({ a: z.number() });
  return tool({
    ...{ name: 'look', description: 'Looks', sideEffects: 'none', inputSchema },
    execute: () => 'seen',
    ...more,
  } as Parameters<typeof tool>[0]);
}

const call = { name: 'look', input: { a: 1 } };

type Scene = Partial<AgentOptions> & { readonly calls?: number; readonly streams?: true };

const SCENES: Readonly<Record<string, () => Scene>> = {
  'a tool that answers at once': () => ({
    tools: [look({ execute: takeLong })],
    hooks: [quick('postToolUse')],
  }),
  'a tool that waits for a slot': () => ({
    calls: 2,
    tools: [look({ maxConcurrent: 1, execute: takeLongLater })],
    hooks: [quick('postToolUse')],
  }),
  'a model, before the first words of it are judged': () => ({
    streams: true,
    streaming: 'window',
    model: scriptedModel([
      async () => {
        await takeLongLater();
        return 'done';
      },
    ]),
    hooks: [quick('onTextWindow')],
  }),
  'a policy that builds on the system prompt': () => ({
    hooks: [{ name: 'slow', systemPrompt: () => void takeLong() }, quick('preLlmRequest')],
  }),
  'a note': () => ({
    notes: [{ name: 'slow', text: () => String(takeLong()) }],
    hooks: [quick('preLlmRequest')],
  }),
  'a count of tokens': () => ({
    compaction: { maxTokens: 10_000, countTokens: () => Number(takeLong()) },
    hooks: [quick('preLlmRequest')],
  }),
  'counters of a budget': () => ({
    budgets: [{ name: 'b', unit: 'tokens', per: 'day', key: () => 'k', limit: 1e6, reserve: 1 }],
    counters: {
      read: () => takeLongLater().then(Number),
      increment: () => 1,
      reset: () => undefined,
    } as unknown as NonNullable<AgentOptions['counters']>,
    hooks: [quick('preLlmRequest')],
  }),
  'the check of a rewrite': () => ({
    tools: [look({ inputSchema: z.object({ a: z.number() }).refine(takeLong) })],
    hooks: [
      { name: 'rewrites', preToolUse: () => ToolDecision.modify({ a: 2 }) },
      quick('preToolUse'),
    ],
  }),
  'the check of a rewrite that comes later': () => ({
    tools: [look({ inputSchema: z.object({ a: z.number() }).refine(takeLongLater) })],
    hooks: [
      { name: 'rewrites', preToolUse: () => ToolDecision.modify({ a: 2 }) },
      quick('preToolUse'),
    ],
  }),
  'a search': () => ({
    model: scriptedModel([
      { toolCalls: [{ name: 'search_knowledge', input: { query: 'q' } }] },
      'done',
    ]),
    tools: [],
    knowledge: { search: () => takeLongLater().then(() => []) },
    hooks: [quick('onKnowledgeQuery'), quick('onKnowledgeResults')],
  }),
  'a policy beside it that begins its work at once': () => ({
    hooks: [
      parallel(
        {
          ...quick('preToolUse'),
          name: 'first',
          options: { preToolUse: { timeoutMs: 30_000 } },
        },
        {
          name: 'busy',
          options: { preToolUse: { timeoutMs: 60_000 } },
          async preToolUse() {
            takeLong();
            await tick();
          },
        },
        quick('preToolUse'),
      ),
    ],
  }),
};

test.each(Object.keys(SCENES))('the time of %s is not taken off that of a policy', async (name) => {
  const { calls = 1, streams, ...options } = SCENES[name]?.() ?? {};
  const model = scriptedModel([{ toolCalls: Array.from({ length: calls }, () => call) }, 'done']);
  const agent = createAgent({ name: 'a', model, tools: [look()], ...options });
  const failed: string[] = [];
  agent.on('hook.failed', ({ policy, kind }) => void failed.push(`${policy}: ${kind}`));
  const input = { message: 'go' };
  const result = await (streams === true ? agent.stream(input).result : agent.run(input));
  expect(failed).toEqual([]);
  expect(result).toMatchObject({ status: 'completed', text: 'done' });
});
