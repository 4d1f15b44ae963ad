import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { HookPoint } from '../../src/hooks/agent-hooks.ts';
import {
  ask,
  chatParts,
  chatRequest,
  faultyPolicies,
  hangingPolicy,
  latePolicy,
  lyingPolicy,
  scriptedModel,
  throwingPolicy,
  toolInvocation,
  toolResult,
  user,
} from '../../src/testing/index.ts';
import { refund } from './policies.ts';
import '../../src/testing/vitest.ts';

const call = toolInvocation('pay', {});
const short = { options: { timeoutMs: 10 } };

describe('at a point that decides', () => {
  test('each fails in its own way', async () => {
    expect(await ask(throwingPolicy('preToolUse')).preToolUse(call)).toFail('threw');
    expect(await ask(lyingPolicy('preToolUse')).preToolUse(call)).toFail('illegal');
    expect(await ask(hangingPolicy('preToolUse', short)).preToolUse(call)).toFail('timed-out');
    expect(await ask(latePolicy('preToolUse', 30, short)).preToolUse(call)).toFail('timed-out');
  });

  test('a late one that is waited for gives its answer', async () => {
    const late = latePolicy('preToolUse', 5, { answer: ToolDecision.block('after all') });
    expect(await ask(late).preToolUse(call)).toBlock('after all');
  });

  test('what is thrown, what is answered, and the name can be said', async () => {
    const error = new RangeError('no connection');
    const failed = await ask(throwingPolicy('preToolUse', { error, name: 'db' })).preToolUse(call);
    expect(failed).toMatchObject({ policy: 'db', error: { cause: error } });
    const lying = lyingPolicy('preToolUse', { answer: ToolDecision.allow() });
    expect(await ask(lying).preToolUse(call)).toAllow();
  });
});

describe('around a call', () => {
  const result = () => toolResult('paid');
  const request = chatRequest([user('hi')]);

  test('each fails in its own way around a tool', async () => {
    for (const [name, policy] of faultyPolicies('wrapToolUse')) {
      const answer = await ask(policy).wrapToolUse(call, result);
      expect([name, answer.type]).toEqual([name, 'failed']);
      expect(answer.calls.length).toBe(0);
    }
  });

  test('each fails in its own way around a model', async () => {
    const kinds: unknown[] = [];
    for (const [, policy] of faultyPolicies('wrapLlmCall')) {
      const answer = await ask(policy).wrapLlmCall(request, () => chatParts('hi'));
      kinds.push(
        answer.type === 'failed' && answer.kind,
        answer.type === 'failed' && answer.error.message,
      );
    }
    const limit = expect.stringContaining('time limit');
    const part = expect.stringContaining('no ChatStreamPart');
    const threw = expect.stringContaining('threw');
    expect(kinds).toEqual([
      'threw',
      threw,
      'illegal',
      part,
      'timed-out',
      limit,
      'timed-out',
      limit,
    ]);
  });

  test('a late one that is waited for goes on', async () => {
    const tool = await ask(latePolicy('wrapToolUse', 5)).wrapToolUse(call, result);
    expect(tool).toMatchObject({ type: 'answered', result: { output: 'paid' } });
    const late = ask(latePolicy('wrapLlmCall', 5));
    expect(await late.wrapLlmCall(request, () => chatParts('hi'))).toMatchObject({ text: 'hi' });
  });
});

test.each<[HookPoint, readonly string[]]>([
  ['preToolUse', ['throwing', 'lying', 'hanging', 'late']],
  ['systemPrompt', ['throwing', 'lying']],
])('at %s there is one of each', (point, names) => {
  expect(faultyPolicies(point).map(([name]) => name)).toEqual(names);
});

test.each(faultyPolicies('preToolUse'))(
  'an agent with a %s guard runs no tool',
  async (name, guard) => {
    const toolCalls = [{ name: 'refund', input: { amount: 5 } }];
    const agent = createAgent({
      name: 'a',
      model: scriptedModel([{ toolCalls }]),
      tools: [refund],
      hooks: [guard],
    });
    const result = await agent.run({ message: 'hi' });
    expect(result).toMatchObject({ status: 'failed', error: { policy: name } });
  },
);
