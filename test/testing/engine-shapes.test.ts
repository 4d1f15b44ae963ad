import { expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import {
  assistant,
  called,
  chatRequest,
  chatResponse,
  history,
  incomingText,
  outgoingText,
  scriptedModel,
  toolInvocation,
  toolResult,
  turnStart,
  user,
} from '../../src/testing/index.ts';
import { getOrder } from './policies.ts';

/** What the engine hands to a policy over two turns, in order. */
async function record(): Promise<{ [point: string]: unknown[] }> {
  const seen: { [point: string]: unknown[] } = {};
  const note = (point: string, ...values: unknown[]): undefined => {
    seen[point] = [...(seen[point] ?? []), ...values];
  };
  const spy: AgentHooks = {
    onTurnStart: (turn) => note('onTurnStart', turn),
    onUserMessage: (message) => note('onUserMessage', message),
    preLlmRequest: (request) => note('preLlmRequest', request),
    onLlmResponse: (response) => note('onLlmResponse', response),
    preToolUse: (call) => note('preToolUse', call),
    postToolUse: (call, result) => note('postToolUse', call, result),
    onOutgoingMessage: (message, ctx) => note('onOutgoingMessage', message, ctx.messages),
  };
  const agent = createAgent({
    name: 'clerk',
    instructions: 'You are a clerk.',
    model: scriptedModel([
      { text: 'Let me look.', toolCalls: [{ name: 'get_order', input: { id: 7 } }] },
      'It costs 30.',
      'You are welcome.',
    ]),
    tools: [getOrder],
    hooks: [spy],
  });
  const { threadId } = await agent.run({ message: 'What is order 7?' });
  await agent.run({ threadId, message: 'Thanks' });
  return seen;
}

const seen = await record();

test('the turn', () => {
  expect(seen['onTurnStart']).toStrictEqual([
    turnStart({ turnId: '1' }),
    turnStart({ turnId: '2', isFirst: false }),
  ]);
});

test('the texts', () => {
  expect(seen['onUserMessage']).toStrictEqual([
    incomingText('What is order 7?'),
    incomingText('Thanks'),
  ]);
  expect(seen['onOutgoingMessage']?.filter((value) => !Array.isArray(value))).toStrictEqual([
    outgoingText('Let me look.', { isFinal: false }),
    outgoingText('It costs 30.'),
    outgoingText('You are welcome.'),
  ]);
});

const lines = [
  user('What is order 7?'),
  assistant('Let me look.', called(getOrder, { id: 7 }, { id: 7, total: 30 })),
  assistant('It costs 30.'),
  user('Thanks'),
];

test('the request', () => {
  const parts = { instructions: 'You are a clerk.', tools: [getOrder] };
  expect(seen['preLlmRequest']).toStrictEqual([
    chatRequest(lines.slice(0, 1), parts),
    chatRequest(lines.slice(0, 2), parts),
    chatRequest(lines, parts),
  ]);
});

test('the history', () => {
  expect(seen['onOutgoingMessage']?.at(-1)).toStrictEqual(history(...lines));
});

test('the response', () => {
  const [first, second] = seen['onLlmResponse'] as ReturnType<typeof chatResponse>[];
  const built = chatResponse({
    text: 'Let me look.',
    toolCalls: [{ name: 'get_order', input: { id: 7 } }],
    latencyMs: first?.latencyMs ?? 0,
  });
  expect(first).toStrictEqual(ofTurn(built));
  const { latencyMs = 0 } = second ?? {};
  expect(second).toStrictEqual(chatResponse({ text: 'It costs 30.', id: 'msg_2', latencyMs }));
});

test('the call and its result', () => {
  const call = ofTurn(toolInvocation(getOrder, { id: 7 }));
  expect(seen['preToolUse']).toStrictEqual([call]);
  expect(seen['postToolUse']).toStrictEqual([call, toolResult({ id: 7, total: 30 })]);
});

/** As it is in the first turn of a thread. */
function ofTurn<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('this-turn', '1')) as T; // The same tree with other texts.
}
