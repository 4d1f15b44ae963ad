import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const cyclic: Record<string, unknown> = {};
cyclic['me'] = cyclic;

function agentWith(report: (progress: (data: never) => void) => unknown) {
  const work = tool({
    name: 'work',
    description: 'Works',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: (_input, { progress }) => report(progress),
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'work' }] }, 'done']);
  return createAgent({ name: 'a', model, tools: [work] });
}

describe('what a tool reports as progress', () => {
  test('stays its own: it may go on changing the object', async () => {
    const agent = agentWith((progress) => {
      const state = { done: 1, parts: { left: 2 } };
      progress(state as never);
      state.done = 2;
      state.parts.left = 1;
      return 'ok';
    });
    const told: unknown[] = [];
    agent.on('tool.progress', ({ data }) => told.push(data));
    const result = await agent.run({ message: 'go' });
    expect(result.messages[2]).toMatchObject({ content: [{ outcome: 'succeeded' }] });
    expect(told).toEqual([{ done: 1, parts: { left: 2 } }]);
  });

  test.each([
    ['a cycle', cyclic],
    ['a BigInt', 10n],
    ['nothing', undefined],
  ])('is told as JSON even when it is %s', async (_name, data) => {
    const agent = agentWith((progress) => progress(data as never));
    const told: string[] = [];
    agent.on('tool.progress', (event) => told.push(JSON.stringify(event)));
    await agent.run({ message: 'go' });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('"data":');
  });
});
