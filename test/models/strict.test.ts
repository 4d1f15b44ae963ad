import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/errors/model-error.ts';
import type { ModelRequest } from '../../src/models/port.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { Message } from '../../src/protocol/message.ts';
import { calling, failure, request, results, uncancelled, user } from './requests.ts';

async function refusal(given: ModelRequest): Promise<string> {
  const model = scriptedModel(['ok'], { strict: true });
  const outcome = await failure(model.generate(given, uncancelled()));
  if (!(outcome instanceof ModelError)) throw outcome;
  expect(outcome.code).toBe('invalid-request');
  return outcome.message;
}

const refused: readonly (readonly [string, readonly Message[], RegExp])[] = [
  ['no message', [], /no message to answer/],
  ['only a system prompt', [{ role: 'system', content: 'Be kind' }], /no message to answer/],
  [
    'an empty message',
    [user('a'), { role: 'assistant', content: [] }, user('b')],
    /messages\[1\].*no content/,
  ],
  [
    'an empty text',
    [user('a'), { role: 'assistant', content: [{ type: 'text', text: '' }] }, user('b')],
    /messages\[1\].*empty text/,
  ],
  [
    'a system prompt in the middle',
    [user('a'), { role: 'system', content: 'Be kind' }, user('b')],
    /messages\[1\] is a system prompt after/,
  ],
  ['an assistant that speaks first', [said('a'), user('b')], /messages\[0\].*before any message/],
  [
    'an assistant that speaks twice',
    [user('a'), said('b'), said('c'), user('d')],
    /messages\[2\].*follows another/,
  ],
  ['an assistant that speaks last', [user('a'), said('b')], /messages\[1\].*nothing to answer/],
  [
    'a call without a result',
    [user('a'), calling({}), user('b')],
    /messages\[1\].*'look' with 0 results/,
  ],
  ['a call at the very end', [user('a'), calling({})], /messages\[1\].*with 0 results/],
  [
    'one of two results',
    [user('a'), calling({}, {}), results({})],
    /messages\[1\].*with 0 results/,
  ],
  [
    'two results for one call',
    [user('a'), calling({}), results({}, { providerCallId: 'call_1' })],
    /with 2 results/,
  ],
  ['a result without a call', [user('a'), results({})], /messages\[1\].*without a call/],
  ['a result too many', [user('a'), calling({}), results({}, {})], /messages\[2\].*without a call/],
  [
    'B89: a user text between call and result',
    [user('a'), calling({}), user('b'), results({})],
    /messages\[1\]/,
  ],
  [
    'two calls of one id',
    [user('a'), calling({}, { providerCallId: 'call_1' }), results({})],
    /two calls with one id/,
  ],
  [
    'results in two messages',
    [user('a'), calling({}, {}), results({}), results({})],
    /messages\[1\]/,
  ],
];

describe('a strict scripted model', () => {
  test.each(refused)('B93: refuses %s', async (_, messages, problem) => {
    expect(await refusal(request(messages))).toMatch(problem);
  });

  test('B93: refuses tools that a provider refuses', async () => {
    const inputSchema = { type: 'object' };
    const tools = (...names: string[]) => ({
      tools: names.map((name) => ({ name, description: '', inputSchema })),
    });
    const loose = { tools: [{ name: 'a', description: '', inputSchema: { type: 'string' } }] };
    expect(await refusal(request([user('a')], tools('a', 'a')))).toMatch(
      /tools\[1\].*another tool/,
    );
    expect(await refusal(request([user('a')], tools('a.b')))).toMatch(/tools\[0\].*name/);
    expect(await refusal(request([user('a')], loose))).toMatch(/tools\[0\].*no object/);
  });

  test('accepts a whole history and never quotes one', async () => {
    const messages = [
      { role: 'system', content: 'Be kind' } as const,
      user('secret'),
      calling({}, {}),
      results({}, {}),
      user('go on'),
    ];
    const model = scriptedModel(['ok'], { strict: true });
    expect(await model.generate(request(messages), uncancelled())).toHaveProperty(
      'finishReason',
      'stop',
    );
    expect(await refusal(request(messages.slice(0, 3)))).not.toContain('secret');
  });

  test('is only strict on request', async () => {
    const model = scriptedModel(['ok']);
    expect(await model.generate(request([]), uncancelled())).toHaveProperty('finishReason', 'stop');
  });
});

function said(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}
