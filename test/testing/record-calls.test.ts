import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../src/agent/create-agent.ts';
import { ResponseDecision } from '../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { parallel } from '../../src/hooks/parallel.ts';
import { type RecordOptions, recordCalls, scriptedModel } from '../../src/testing/index.ts';
import { tool } from '../../src/tools/tool.ts';
import { getOrder, RefundLimit, refund } from './policies.ts';

const KEY = 'sk-live-4242424242424242';
const login = tool({
  name: 'login',
  description: 'Logs in',
  inputSchema: z.object({ user: z.string(), password: z.string() }),
  sideEffects: 'none',
  execute: ({ user }) => ({ token: 'abc', session: `key ${KEY} of ${user}` }),
});
const halve: AgentHooks = {
  name: 'halve',
  preToolUse: ({ toolName, effectiveInput }) =>
    toolName === 'refund'
      ? ToolDecision.modify({ amount: Number(effectiveInput['amount']) / 2 })
      : undefined,
  onLlmResponse: ({ text }) =>
    text === 'No!' ? ResponseDecision.retryWithFeedback('be polite') : undefined,
};

function desk(options: RecordOptions = {}) {
  const model = scriptedModel([
    {
      toolCalls: [
        { name: 'get_order', input: { id: 7 } },
        { name: 'refund', input: { amount: 80 } },
        { name: 'refund', input: { amount: 999 } },
      ],
    },
    'No!',
    'Paid.',
    { toolCalls: [{ name: 'login', input: { user: 'ann', password: 'hunter2' } }] },
    'Logged in.',
    { toolCalls: [{ name: 'refund', input: { amount: 900 } }] },
    'Paid as well.',
  ]);
  const hooks = [new RefundLimit(), halve];
  return recordCalls(
    createAgent({ name: 'desk', model, tools: [getOrder, refund, login], hooks }),
    options,
  );
}

describe('recordCalls', () => {
  test('tells what a turn did, in a form that any run gives again', async () => {
    const agent = desk();
    await agent.run({ message: 'Refund me' });
    expect(await agent.recorded()).toMatchSnapshot();
    const other = desk();
    await other.run({ message: 'Refund me' });
    expect(await other.recorded()).toEqual(await agent.recorded());
  });

  test('a stream and single steps tell the same', async () => {
    const [whole, streamed, stepped] = [desk(), desk(), desk()];
    await whole.run({ message: 'Refund me' });
    await streamed.stream({ message: 'Refund me' }).result;
    const [first] = await streamed.recorded();
    expect(first?.steps).toEqual((await whole.recorded())[0]?.steps);
    let result = await stepped.runStep({ threadId: 'ann', message: 'Refund me' });
    while (result.status === 'continues')
      result = await stepped.runStep({ threadId: result.threadId });
    const [third] = await stepped.recorded();
    expect(third?.steps).toEqual(first?.steps);
    expect(third?.results.map(({ status }) => status)).toEqual([
      'continues',
      'continues',
      'completed',
    ]);
  });

  test('holds no secret, no id of chance and no time', async () => {
    const agent = desk({ redact: ['ann', /Logged/] });
    const { threadId } = await agent.run({ message: 'Refund me' });
    await agent.run({ threadId, message: `My key is ${KEY}, for ann` });
    const text = JSON.stringify(await agent.recorded());
    for (const secret of [KEY, 'hunter2', '"abc"', 'ann', 'Logged', threadId])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/durationMs|latencyMs|"at"|"seq"|digest|usage/);
    expect(text).toContain('"thread":"thread-1","turn":"2"');
  });

  test('an approval is told with its answer, and the turn with both results', async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: 'refund', input: { amount: 200 } }] },
      'Paid.',
    ]);
    const plain = createAgent({ name: 'desk', model, tools: [refund], hooks: [new RefundLimit()] });
    const agent = recordCalls(plain);
    const asked = await agent.run({ message: 'Refund 200' });
    if (asked.status !== 'awaiting-approval') throw new Error(asked.status);
    const answers = asked.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'bea',
    }));
    await agent.resume({ threadId: asked.threadId, answers });
    const [turn] = await agent.recorded();
    expect(turn?.results).toMatchObject([
      { status: 'awaiting-approval', approvals: [{ call: '1.1.0', prompts: ['Refund 200?'] }] },
      { status: 'completed', text: 'Paid.' },
    ]);
    expect(turn?.steps[1]).toMatchObject({
      tools: [{ call: '1.1.0', outcome: 'succeeded', output: { refunded: 200 } }],
    });
    expect(JSON.stringify(turn)).toContain(
      '"approvalId":"approval-1","callId":"1.1.0","approved":true',
    );
  });

  test('policies that are asked side by side are told in one order', async () => {
    const slow = (name: string, ms: number): AgentHooks => ({
      name,
      onLlmResponse: () =>
        new Promise((resolve) => setTimeout(() => resolve(ResponseDecision.accept()), ms)),
    });
    const named = async (...delays: readonly [number, number]) => {
      const hooks = [parallel(slow('a', delays[0]), slow('b', delays[1]))];
      const agent = recordCalls(createAgent({ name: 'x', model: scriptedModel(['hi']), hooks }));
      await agent.run({ message: 'hi' });
      return agent.recorded();
    };
    expect(await named(1, 20)).toEqual(await named(20, 1));
  });
});
