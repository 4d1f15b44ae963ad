import {
  agentTool,
  createAgent,
  defineHooks,
  type JsonValue,
  memoryStore,
  scriptedModel,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { callClerk } from './team.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({}),
  tier: 'auto',
  execute: () => 'paid',
});
const callPay = { toolCalls: [{ name: 'pay', input: {} }] };

/** Counts payments, and the calls of subagents around them; `end` is what it does when the subagent is done. */
async function countsOf(
  end: (memory: { get: (key: string) => JsonValue | undefined }) => void,
): Promise<unknown> {
  const limit = defineHooks({
    name: 'limit',
    preToolUse: ({ toolName }, { memory }) => {
      if (toolName === 'pay') memory.set('paid', Number(memory.get('paid') ?? 0) + 1);
      return undefined;
    },
    wrapToolUse: async (call, next, { memory }) => {
      if (call.toolName !== 'clerk') return next(call);
      memory.set('paid', Number(memory.get('paid') ?? 0) + 10);
      const result = await next(call);
      end(memory);
      return result;
    },
  });
  const clerk = createAgent({
    name: 'clerk',
    model: scriptedModel([callPay, callPay, 'done']),
    tools: [pay],
  });
  const store = memoryStore();
  const desk = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [callClerk()] }, 'done']),
    tools: [agentTool(clerk, { name: 'clerk', description: 'Pays' })],
    hooks: [limit],
    store,
  });
  await desk.run({ threadId: 't', message: 'go' });
  return (await store.load('t'))?.memory;
}

describe('what a policy remembers around a subagent and in it', () => {
  test('is one memory: neither takes the other back', async () => {
    const seen: unknown[] = [];
    expect(await countsOf((memory) => seen.push(memory.get('paid')))).toEqual({
      limit: { paid: 12 },
    });
    expect(seen).toEqual([12]);
  });

  test('keeps what counted in it when the policy around it fails', async () => {
    const memory = await countsOf(() => {
      throw new Error('broken');
    });
    expect(memory).toEqual({ limit: { paid: 12 } });
  });
});
