import { expect, test } from 'vitest';
import { type AssistantPart, toolCallsOf } from '../../src/index.ts';
import { chatResponse } from '../../src/protocol/read-content.ts';

const plain: AssistantPart = {
  type: 'tool-call',
  callId: '1',
  providerCallId: 'p-1',
  toolName: 'find',
  input: { a: 1 },
};
const signed: AssistantPart = { ...plain, callId: '2', providerMetadata: { signature: 'sealed' } };
const text: AssistantPart = { type: 'text', text: 'I look.' };

test.each([
  ['alone', [signed]],
  ['beside others', [text, plain, signed]],
])('a call holds nothing of what its provider keeps with it: %s', (_what, content) => {
  const response = chatResponse({
    id: 'r',
    model: 'm',
    content,
    finishReason: 'tool-calls',
    usage: { inputTokens: 1, outputTokens: 1 },
    latencyMs: 0,
  });
  const calls = toolCallsOf({ role: 'assistant', content });
  for (const read of [calls, response.toolCalls]) {
    expect(JSON.stringify(read)).not.toContain('sealed');
    expect(read.at(-1)).toMatchObject({ callId: '2', toolName: 'find', input: { a: 1 } });
  }
  expect(response.content).toContain(signed);
  expect(response.toolCalls).toSatisfy(Object.isFrozen);
  expect(response.toolCalls.every(Object.isFrozen)).toBe(true);
});

test('a message without calls has none', () => {
  expect(toolCallsOf({ role: 'assistant', content: [text] })).toEqual([]);
  expect(toolCallsOf({ role: 'assistant', content: [] })).toEqual([]);
});
