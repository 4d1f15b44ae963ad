import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import { ResponseDecision } from '../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../src/decisions/tool-result-decision.ts';
import { TurnDecision } from '../../src/decisions/turn-decision.ts';
import type { HookContext } from '../../src/hooks/context.ts';
import { HOOK_POINTS, POINTS } from '../../src/hooks/points.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { ASK_POINTS } from '../../src/testing/ask.ts';
import {
  ask,
  assistant,
  called,
  chatRequest,
  chatResponse,
  history,
  incomingText,
  memoryCounters,
  outgoingText,
  toolInvocation,
  toolResult,
  turnStart,
  user,
} from '../../src/testing/index.ts';
import { getOrder, RefundLimit, refund, ThreeCalls } from './policies.ts';

test('every point that the loop asks and waits for can be asked', () => {
  const waitedFor = HOOK_POINTS.filter((point) => POINTS[point].enforced && point !== 'onEvent');
  expect(ASK_POINTS).toEqual(waitedFor);
});

describe('ask — what a policy said', () => {
  test('a decision is data, with the policy, the point and what goes on', async () => {
    const call = toolInvocation(refund, { amount: 900 });
    expect(await ask(new RefundLimit()).preToolUse(call)).toEqual({
      type: 'decided',
      policy: 'RefundLimit',
      point: 'preToolUse',
      decision: { type: 'block', reason: 'refunds end at 500' },
      value: call,
      memory: {},
    });
  });

  test('returning nothing is no opinion', async () => {
    const answer = await ask(new RefundLimit()).preToolUse(toolInvocation(getOrder, { id: 7 }));
    expect(answer.type).toBe('no-opinion');
  });

  test('a later answer is waited for', async () => {
    const policy = defineHooks({
      async onUserMessage() {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return MessageDecision.block('late');
      },
    });
    const answer = await ask(policy).onUserMessage(incomingText('hi'));
    expect(answer).toMatchObject({ type: 'decided', decision: { reason: 'late' } });
  });

  test('the answer is frozen', async () => {
    expect(await ask(new RefundLimit()).preToolUse(toolInvocation('ping'))).toSatisfy(
      Object.isFrozen,
    );
  });
});

describe('ask — each point', () => {
  test('a turn', async () => {
    const policy = defineHooks({
      onTurnStart: (turn) => (turn.isFirst ? TurnDecision.block('no new threads') : undefined),
    });
    expect(await ask(policy).onTurnStart(turnStart())).toMatchObject({ type: 'decided' });
    expect(await ask(policy).onTurnStart(turnStart({ isFirst: false }))).toMatchObject({
      type: 'no-opinion',
    });
  });

  test('a text of the user and one for the user', async () => {
    const shout = defineHooks({
      onUserMessage: ({ text }) => MessageDecision.modify(text.toUpperCase()),
      onOutgoingMessage: ({ text }) => MessageDecision.modify(`${text}!`),
    });
    expect(await ask(shout).onUserMessage(incomingText('hi'))).toMatchObject({
      value: { text: 'HI', attachments: [] },
    });
    expect(
      await ask(shout).onOutgoingMessage(outgoingText('hi', { isFinal: false })),
    ).toMatchObject({
      value: { text: 'hi!', isFinal: false },
    });
  });

  test('a request', async () => {
    const policy = defineHooks({
      preLlmRequest: (request) => RequestDecision.modify({ ...request, settings: { seed: 1 } }),
    });
    const request = chatRequest([user('hi')], { tools: [getOrder] });
    const answer = await ask(policy).preLlmRequest(request);
    expect(answer).toMatchObject({ value: { ...request, settings: { seed: 1 } } });
  });

  test('a response, where a new call gets the next id', async () => {
    const policy = defineHooks({
      onLlmResponse: ({ toolCalls }) =>
        ResponseDecision.modify({ toolCalls: [...toolCalls, { toolName: 'log', input: {} }] }),
    });
    const response = chatResponse({ toolCalls: [{ name: 'refund', input: { amount: 5 } }] });
    const answer = await ask(policy).onLlmResponse(response);
    expect(answer).toMatchObject({
      value: {
        toolCalls: [{ callId: 'this-turn.1.0' }, { callId: 'this-turn.1.1', toolName: 'log' }],
      },
    });
  });

  test('a tool call, whose rewrite is checked against the schema of its tool', async () => {
    const policy = defineHooks({
      preToolUse: () => ToolDecision.modify({ amount: 5, note: null }),
    });
    const answer = await ask(policy).preToolUse(toolInvocation(refund, { amount: 7 }));
    expect(answer).toMatchObject({
      decision: { type: 'modify', input: { amount: 5, note: null } },
      value: { requestedInput: { amount: 7 } },
    });
    expect(answer.type === 'decided' && answer.value.effectiveInput).toEqual({ amount: 5 });
  });

  test('a result, beside the call it came of', async () => {
    const policy = defineHooks({
      postToolUse: ({ toolName }, { output }) =>
        ToolResultDecision.modify({ output: [toolName, output] }),
    });
    const answer = await ask(policy).postToolUse(toolInvocation('ping'), toolResult('pong'));
    expect(answer).toMatchObject({
      value: { outcome: 'succeeded', isError: false, output: ['ping', 'pong'] },
    });
  });

  test('a rewrite to what was there before is still a decision', async () => {
    const policy = defineHooks({ onUserMessage: ({ text }) => MessageDecision.modify(text) });
    const answer = await ask(policy).onUserMessage(incomingText('hi'));
    expect(answer).toMatchObject({ type: 'decided', decision: { type: 'modify', text: 'hi' } });
  });
});

describe('ask — the context', () => {
  test('shows everything that was given, and defaults for the rest', async () => {
    const seen = await contextOf({ step: 4, sender: { id: 'ann' }, purpose: 'judge' });
    expect(seen).toEqual({
      threadId: 'thread',
      turnId: 'this-turn',
      step: 4,
      attempt: 1,
      agentPath: [],
      model: 'scripted',
      purpose: 'judge',
      sender: { id: 'ann' },
      channel: null,
      session: null,
      state: {},
      recheck: false,
    });
  });

  test('shows the same members when all of them are given', async () => {
    const given = {
      threadId: 't',
      turnId: 'u',
      step: 2,
      attempt: 3,
      agentPath: ['boss'],
      model: 'm',
      purpose: 'output',
      sender: 's',
      channel: 'c',
      session: [1],
      state: { a: 1 },
      recheck: true,
    } as const;
    expect(await contextOf(given)).toEqual(given);
  });

  test('holds the history, in which lines become messages', async () => {
    const lines = [user('Refund 7'), called(getOrder, { id: 7 }, { total: 30 }), assistant('Ok?')];
    let seen: unknown;
    const policy = defineHooks({
      preToolUse(_call, ctx) {
        seen = ctx.messages;
      },
    });
    await ask(policy).preToolUse(toolInvocation('ping'), { messages: lines });
    expect(seen).toEqual(history(...lines));
  });

  test('the app value is the very object, and is not frozen', async () => {
    const context = { tenant: 'acme' };
    let seen: unknown;
    const policy = defineHooks({
      preToolUse(_call, ctx) {
        seen = ctx.context;
      },
    });
    await ask(policy).preToolUse(toolInvocation('ping'), { context });
    expect(seen).toBe(context);
    expect(Object.isFrozen(context)).toBe(false);
  });

  test('memory goes in and comes out, from one question to the next', async () => {
    const asked = ask(new ThreeCalls());
    const call = toolInvocation(refund, { amount: 1 });
    const context = { tenant: 'acme' };
    const third = await asked.preToolUse(call, { context, memory: { 'acme.refund': 2 } });
    expect(third).toMatchObject({ type: 'no-opinion', memory: { 'acme.refund': 3 } });
    const fourth = await asked.preToolUse(call, { context, memory: third.memory });
    expect(fourth).toMatchObject({ decision: { reason: '4 calls' }, memory: { 'acme.refund': 4 } });
  });

  test('one question never changes the memory that another was given', async () => {
    const memory = { 'acme.ping': 1 };
    const asked = ask(new ThreeCalls());
    await asked.preToolUse(toolInvocation('ping'), { context: { tenant: 'acme' }, memory });
    expect(memory).toEqual({ 'acme.ping': 1 });
    expect(Object.isFrozen(memory)).toBe(false);
  });

  test('counters are its own unless they are given', async () => {
    const policy = defineHooks({
      async preToolUse(_call, { counters }) {
        const count = await counters.increment('calls');
        return count > 1 ? ToolDecision.block('second') : undefined;
      },
    });
    const counters = memoryCounters();
    const types = [{}, {}, { counters }, { counters }].map(async (options) => {
      const answer = await ask(policy).preToolUse(toolInvocation('ping'), options);
      return answer.type;
    });
    expect(await Promise.all(types)).toEqual(['no-opinion', 'no-opinion', 'no-opinion', 'decided']);
  });
});

async function contextOf(options: object): Promise<object> {
  let seen: object = {};
  const policy = defineHooks({
    onTurnStart(_turn, ctx: HookContext) {
      const { threadId, turnId, step, attempt, agentPath, model, purpose } = ctx;
      const { sender, channel, session, state, recheck } = ctx;
      const place = { threadId, turnId, step, attempt, agentPath, model, purpose };
      seen = { ...place, sender, channel, session, state, recheck };
    },
  });
  await ask(policy).onTurnStart(turnStart(), options);
  return seen;
}
