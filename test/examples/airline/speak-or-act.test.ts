import type { ChatResponse } from 'agent-hooks';
import { expect, test } from 'vitest';
import { SpeakOrAct } from '../../../examples/airline/policies/speak-or-act.ts';
import { chatResponse } from '../../../src/protocol/read-content.ts';

const policy = new SpeakOrAct();

function response(text: string, calls: number): ChatResponse {
  const toolCalls = Array.from({ length: calls }, (_, index) => ({
    type: 'tool-call' as const,
    callId: `call.${index}`,
    providerCallId: `provider.${index}`,
    toolName: 'think',
    input: { thought: 'Let me see.' },
  }));
  return chatResponse({
    id: 'response',
    model: 'scripted',
    content: [{ type: 'text', text }, ...toolCalls],
    finishReason: calls > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: 1, outputTokens: 1 },
    latencyMs: 1,
  });
}

test('a text alone is accepted', () => {
  expect(policy.onLlmResponse(response('Hello.', 0))).toBeUndefined();
});

test('a call alone is accepted, with blank text too', () => {
  expect(policy.onLlmResponse(response('', 1))).toBeUndefined();
  expect(policy.onLlmResponse(response(' \n', 1))).toBeUndefined();
});

test('a text beside a call is sent back', () => {
  expect(policy.onLlmResponse(response('One moment.', 1))).toMatchObject({
    type: 'retry-with-feedback',
    feedback: expect.stringContaining('Do one of the two'),
  });
});

test('two calls at once are sent back', () => {
  expect(policy.onLlmResponse(response('', 2))).toEqual({
    type: 'retry-with-feedback',
    feedback: 'Make one tool call at a time.',
  });
});
