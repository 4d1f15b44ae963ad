import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../src/agent/create-agent.ts';
import { ToolError } from '../../src/errors/tool-error.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { tool } from '../../src/tools/tool.ts';
import { callPay } from './desk.ts';

async function failureOf(
  sideEffects: 'once' | 'none',
  execute: () => Promise<never>,
): Promise<Partial<AgentEvent> | undefined> {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    sideEffects,
    tier: 'auto',
    timeoutMs: 5,
    execute,
  });
  const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
  const agent = createAgent({ name: 'a', model, tools: [pay], cancelGraceMs: 1 });
  let heard: AgentEvent | undefined;
  agent.on('tool.failed', (event) => {
    heard = event;
  });
  await agent.run({ message: 'go' });
  return heard;
}

const hang = () => new Promise<never>(() => undefined);

test('tool.failed with an unknown outcome says why, also when nobody said anything', async () => {
  expect(await failureOf('once', hang)).toMatchObject({
    outcome: 'unknown',
    reason: expect.stringContaining('nobody knows whether it was carried out'),
  });
});

test('what the tool said of it comes first, and other outcomes keep their own', async () => {
  const lost = async () => {
    throw new ToolError('lost', { code: 'outcome-unknown', eventText: 'connection lost' });
  };
  expect(await failureOf('once', lost)).toMatchObject({
    outcome: 'unknown',
    reason: 'connection lost',
  });
  expect(await failureOf('none', hang)).toMatchObject({ outcome: 'failed', reason: 'timed out' });
});
