import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AssistantPart, ToolResultPart } from '../../src/protocol/message.ts';
import {
  assistant,
  called,
  chatRequest,
  chatResponse,
  history,
  incomingText,
  outgoingText,
  toolInvocation,
  toolResult,
  turnStart,
  user,
} from '../../src/testing/index.ts';
import { tool } from '../../src/tools/tool.ts';
import { getOrder, illegal, refund } from './policies.ts';

describe('builders — a tool call', () => {
  test('from a tool it has what the tool declares', () => {
    expect(toolInvocation(refund, { amount: 5 })).toEqual({
      callId: 'this-turn.1.0',
      providerCallId: 'call_1',
      toolName: 'refund',
      displayName: 'Refund',
      tier: 'confirm',
      sideEffects: 'once',
      requestedInput: { amount: 5 },
      effectiveInput: { amount: 5 },
      batch: { index: 0, size: 1 },
    });
  });

  test('from a name it runs at once and has no schema', () => {
    expect(toolInvocation('ping')).toMatchObject({
      toolName: 'ping',
      displayName: 'ping',
      tier: 'auto',
      sideEffects: 'once',
      effectiveInput: {},
    });
  });

  test('every other member can be set', () => {
    const overrides = {
      callId: 'c',
      providerCallId: 'p',
      displayName: 'Ping!',
      tier: 'confirm',
      sideEffects: 'none',
      batch: { index: 1, size: 2 },
      prepared: { operationId: 'o', revision: 1, snapshot: { draft: 1 } },
      requestedInput: { a: 1 },
    } as const;
    expect(toolInvocation('ping', { a: 2 }, overrides)).toEqual({
      ...overrides,
      toolName: 'ping',
      effectiveInput: { a: 2 },
    });
  });

  test('the answer of a person needs only `approved`', () => {
    const { approval } = toolInvocation('ping', {}, { approval: { approved: true } });
    expect(approval).toEqual({ approvalId: 'approval-1', approved: true, by: 'approver' });
    const denied = { approvalId: 'a', approved: false, by: 'ann', reason: 'no' };
    expect(toolInvocation('ping', {}, { approval: denied }).approval).toEqual(denied);
  });

  test('what would run is checked, what was asked for is as it was written', () => {
    // Many models write null for what they leave out.
    const input = { amount: 5, note: null as unknown as string };
    const { requestedInput, effectiveInput } = toolInvocation(refund, input);
    expect(requestedInput).toEqual(input);
    expect(effectiveInput).toEqual({ amount: 5 });
  });

  test('an input the tool refuses is a mistake of the test, and is not quoted', () => {
    const build = () => toolInvocation(refund, { amount: 4711 });
    expect(build).toThrow(/toolInvocation\('refund'\): the input of tool 'refund' does not fit/);
    expect(build).not.toThrow(/4711/);
  });

  test('a schema that answers later is refused', () => {
    const slow = tool({
      name: 'slow',
      description: 'Waits',
      inputSchema: z.object({ id: z.string().refine(async () => true) }),
      execute: () => null,
    });
    expect(() => toolInvocation(slow, { id: '1' })).toThrow(/its schema answers later/);
  });

  test('it is frozen, and the input of the test is not', () => {
    const input = { list: [1] };
    const invocation = toolInvocation('ping', input);
    expect(Object.isFrozen(invocation.effectiveInput['list'])).toBe(true);
    expect(Object.isFrozen(invocation)).toBe(true);
    expect(Object.isFrozen(input.list)).toBe(false);
  });
});

describe('builders — a result', () => {
  test('an output that is no JSON becomes JSON, as the output of a tool does', () => {
    expect(toolResult(illegal({ at: new Date(0) })).output).toEqual({
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  test('what did not succeed is an error, unless said otherwise', () => {
    expect(toolResult('x', { outcome: 'failed' }).isError).toBe(true);
    expect(toolResult('x', { outcome: 'failed', isError: false }).isError).toBe(false);
    expect(toolResult('x', { isError: true })).toEqual({
      outcome: 'succeeded',
      isError: true,
      output: 'x',
    });
  });
});

describe('builders — a response', () => {
  test('text, reasoning and calls agree with the content', () => {
    const response = chatResponse({
      reasoning: 'hm',
      text: 'Ok.',
      toolCalls: [{ name: 'a' }, { name: 'b', input: { n: 1 }, id: 'x' }],
      model: 'm',
      id: 'r',
    });
    expect(response).toMatchObject({
      id: 'r',
      model: 'm',
      text: 'Ok.',
      reasoning: 'hm',
      finishReason: 'tool-calls',
    });
    expect(response.content.map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'tool-call',
      'tool-call',
    ]);
    expect(response.toolCalls).toMatchObject([
      { callId: 'this-turn.1.0', providerCallId: 'call_1', toolName: 'a', input: {} },
      { callId: 'this-turn.1.1', providerCallId: 'x', toolName: 'b', input: { n: 1 } },
    ]);
  });

  test('arguments that are no JSON are malformed, as they are in an agent', () => {
    const [call] = chatResponse({ toolCalls: [{ name: 'a', inputText: '{"n": ' }] }).toolCalls;
    expect(call).toMatchObject({ input: '{"n": ', malformed: expect.stringContaining('complete') });
  });

  test('how it ended and what it cost can be set', () => {
    const usage = { inputTokens: 1, outputTokens: 2 };
    const response = chatResponse({ text: 'Ok', finishReason: 'length', usage });
    expect(response).toMatchObject({ finishReason: 'length', usage });
  });
});

describe('builders — a history', () => {
  test('calls get ids by turn, step and place, and their results the same', () => {
    const messages = history(
      user('one'),
      called(getOrder, { id: 1 }, 'a'),
      user('two'),
      assistant('Both.', called('b', {}, 'b'), called('c', {}, 'c')),
    );
    const calls = messages.flatMap((message): readonly (AssistantPart | ToolResultPart)[] =>
      message.role === 'assistant' || message.role === 'tool' ? message.content : [],
    );
    expect(calls.map((part) => ('callId' in part ? part.callId : part.type))).toEqual([
      '1.1.0',
      '1.1.0',
      'text',
      '2.1.0',
      '2.1.1',
      '2.1.0',
      '2.1.1',
    ]);
    expect(new Set(calls.flatMap((p) => ('callId' in p ? p.providerCallId : [])))).toEqual(
      new Set(['call_1', 'call_2', 'call_3']),
    );
  });

  test('a call that did not succeed brings its result', () => {
    const refused = toolResult('Blocked: too late', { outcome: 'blocked' });
    const [, message] = history(called('refund', { amount: 1 }, refused));
    expect(message).toMatchObject({ content: [{ ...refused, toolName: 'refund' }] });
  });

  test('whole messages stay as they are', () => {
    const earlier = history(user('one'), called('a', {}, 'x'));
    expect(history(...earlier)).toEqual(earlier);
  });
});

test('everything built is frozen all the way down', () => {
  const built: readonly unknown[] = [
    turnStart(),
    incomingText('a', [{ type: 'file', mediaType: 'image/png', url: 'https://a.example/b.png' }]),
    outgoingText('a'),
    chatRequest([user('a')], { instructions: 'b', tools: [refund], settings: { stop: ['x'] } }),
    chatResponse({ toolCalls: [{ name: 'a', input: { b: [1] } }] }),
    toolResult({ a: [1] }),
    toolInvocation('a', { b: [1] }, { batch: { index: 0, size: 2 } }),
    called('a', { b: [1] }, [2]),
    assistant('', called('a', {}, [1])),
    history(user('a'), called('a', { b: [1] }, [2])),
  ];
  expect(built.flatMap((value) => unfrozen(value))).toEqual([]);
});

test('a text with a lone surrogate is made well-formed, as that of a user is', () => {
  expect(incomingText('a\ud800').text).toBe('a\ufffd');
  expect(user('a\ud800')).toEqual({ role: 'user', content: [{ type: 'text', text: 'a\ufffd' }] });
});

/** The schema of a tool is the library's own object; everything else must be frozen. */
function unfrozen(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || path.endsWith('.inputSchema')) return [];
  const below = Object.entries(value).flatMap(([key, member]) =>
    unfrozen(member, `${path}.${key}`),
  );
  return Object.isFrozen(value) ? below : [path, ...below];
}
