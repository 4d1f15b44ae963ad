import { setTimeout as sleep } from 'node:timers/promises';
import {
  agentTool,
  createAgent,
  defineHooks,
  type ScriptEntry,
  scriptedModel,
  tool,
} from 'agent-hooks';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { CancelScope } from '../../src/internal/cancel-scope.ts';

const slow = tool({
  name: 'slow',
  description: 'Takes a moment',
  inputSchema: z.object({}),
  sideEffects: 'none',
  timeoutMs: 10_000,
  execute: () => sleep(1, 'done'),
});

const slowly = defineHooks({
  name: 'slowly',
  preLlmRequest: async () => undefined,
  onLlmResponse: async () => undefined,
  preToolUse: async () => undefined,
});

const calls: ScriptEntry = { toolCalls: [{ name: 'slow' }, { name: 'slow' }] };

/** Who still listens for the cancel of something, by what they are to do. */
function listening(): readonly string[] {
  const left = new Map<unknown, number>();
  const count = (listener: unknown, by: number) =>
    void left.set(listener, (left.get(listener) ?? 0) + by);
  for (const [listener] of vi.mocked(CancelScope.prototype.listen).mock.calls) count(listener, 1);
  for (const [listener] of vi.mocked(CancelScope.prototype.unlisten).mock.calls)
    count(listener, -1);
  return [...left].flatMap(([listener, times]) => (times > 0 ? [String(listener)] : []));
}

test('nobody goes on listening for a cancel when their work is done', async () => {
  vi.spyOn(CancelScope.prototype, 'listen');
  vi.spyOn(CancelScope.prototype, 'unlisten');
  const wraps = defineHooks({
    name: 'wraps',
    async *wrapLlmCall(request, next) {
      yield* next(request);
    },
    wrapToolUse: async (call, next) => next(call),
  });
  const below = createAgent({
    name: 'below',
    model: scriptedModel([calls, 'done']),
    tools: [slow],
  });
  const ask = agentTool(below, { name: 'ask', description: 'Asks', tier: 'auto' });
  const script = [
    { toolCalls: [{ name: 'ask', input: { task: 'go' } }, { name: 'slow' }] },
    'done',
  ];
  const agent = createAgent({
    name: 'above',
    model: scriptedModel(script, { delayMs: 1 }),
    tools: [slow, ask],
    hooks: [slowly, wraps],
    maxParallelTools: 1,
  });
  expect((await agent.run({ message: 'go' })).status).toBe('completed');
  await agent.settled();
  expect(vi.mocked(CancelScope.prototype.listen).mock.calls.length).toBeGreaterThan(10);
  expect(listening()).toEqual([]);
  vi.restoreAllMocks();
});
