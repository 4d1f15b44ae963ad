import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AgentHooks, createAgent, scriptedModel, tool } from '../../src/index.ts';

type Point = keyof AgentHooks & string;
const POINTS: readonly Point[] = [
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'onLlmResponse',
  'preToolUse',
  'postToolUse',
  'onOutgoingMessage',
];

/** A promise that calls back at once, as often as it is told: what patches promises may give such. */
function patched(then: (take: (value: unknown) => void, fail: (error: unknown) => void) => void) {
  return () => Object.assign(Promise.resolve(), { then });
}

const look = tool({
  name: 'look',
  description: 'Looks',
  sideEffects: 'none',
  inputSchema: z.object({}),
  execute: () => 'seen',
});

function statusWith(point: Point, answer: () => unknown): Promise<string> {
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'done']),
    tools: [look],
    hooks: [{ name: 'odd', [point]: answer } as AgentHooks],
  });
  return agent.run({ message: 'hello' }).then(({ status }) => status);
}

describe('a policy whose promise calls back at once ends its point all the same', () => {
  test.each(POINTS)('%s', async (point) => {
    const none = patched((take) => {
      take(undefined);
      take(undefined);
    });
    expect(await statusWith(point, none)).toBe('completed');
  });

  test.each(['onTurnStart', 'preLlmRequest'] as const)('%s, with a failure', async (point) => {
    const fails = patched((_take, fail) => fail(new Error('no')));
    expect(await statusWith(point, fails)).toBe('failed');
    const throws = patched(() => {
      throw new Error('no');
    });
    expect(await statusWith(point, throws)).toBe('failed');
  });
});
