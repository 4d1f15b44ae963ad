import { describe, expect, test } from 'vitest';
import { readOpenAiChat } from '../../src/models/read-openai-chat.ts';
import { transcript } from './openai-transcript.ts';

describe('a conversation in OpenAI’s chat format', () => {
  test('reads as messages, with the results of a batch in one', () => {
    const result = { type: 'tool-result', toolName: 'look', outcome: 'succeeded', isError: false };
    const call = { type: 'tool-call', toolName: 'look' };
    const messages = readOpenAiChat(transcript);
    expect(messages).toEqual([
      { role: 'system', content: 'You help with orders.' },
      { role: 'user', content: [{ type: 'text', text: 'Where are A-1 and B-2?' }] },
      {
        role: 'assistant',
        content: [
          { ...call, callId: '2.0', providerCallId: 'x1', input: { id: 'A-1' } },
          { ...call, callId: '2.1', providerCallId: 'x2', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { ...result, callId: '2.0', providerCallId: 'x1', output: '{"at":"sea"}' },
          { ...result, callId: '2.1', providerCallId: 'x2', output: 'unknown' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'A-1 is at sea.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Thanks' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'You are welcome.' }] },
    ]);
    expect(Object.isFrozen(messages[2]?.content[0])).toBe(true);
  });

  test('may hold images, by URL or inline', () => {
    const url = (of: string) => ({ type: 'image_url', image_url: { url: of } });
    const content = [url('https://example.com/a.png'), url('data:image/png;base64,AAAA')];
    expect(readOpenAiChat([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/*', url: 'https://example.com/a.png' },
          { type: 'file', mediaType: 'image/png', data: 'AAAA' },
        ],
      },
    ]);
  });

  test('keeps arguments that cannot be read as the text they were', () => {
    const broken = { id: 'x', function: { name: 'look', arguments: '{"id":' } };
    expect(
      readOpenAiChat([{ role: 'assistant', tool_calls: [broken] }])[0]?.content[0],
    ).toMatchObject({
      input: '{"id":',
      malformed: expect.any(String),
    });
  });

  test('reads a refusal as text', () => {
    expect(readOpenAiChat([{ role: 'assistant', content: null, refusal: 'No.' }])).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
    ]);
  });
});

const assistant = (fields: object) => [{ role: 'assistant', ...fields }];
const faults: readonly (readonly [string, unknown])[] = [
  ['messages: is no array', { role: 'user' }],
  ['messages[0]: is no object', ['secret']],
  ['messages[0].role', [{ role: 'function', content: 'secret' }]],
  [
    'messages[1].content',
    [
      { role: 'user', content: 'a' },
      { role: 'user', content: 5 },
    ],
  ],
  ['messages[0].content[0].type', [{ role: 'user', content: [{ type: 'input_audio' }] }]],
  ['messages[0].content[0]', [{ role: 'system', content: [{ type: 'image_url' }] }]],
  ['messages[0].tool_calls', assistant({ tool_calls: {} })],
  ['messages[0].tool_calls[0].id', assistant({ tool_calls: [{ function: {} }] })],
  ['messages[0].tool_calls[0].function', assistant({ tool_calls: [{ id: 'secret' }] })],
  [
    'messages[0].tool_calls[0].function.name',
    assistant({ tool_calls: [{ id: 'x', function: {} }] }),
  ],
  [
    'messages[0].tool_calls[0].function.arguments',
    assistant({ tool_calls: [{ id: 'x', function: { name: 'a', arguments: { secret: 1 } } }] }),
  ],
  ['messages[0].tool_call_id', [{ role: 'tool', tool_call_id: 'secret', content: 'a' }]],
  [
    'messages[6].tool_call_id',
    [...transcript.slice(0, 5), { role: 'user', content: 'a' }, transcript[4]],
  ],
];

describe('anything else is refused', () => {
  test.each(faults)('at %s, without quoting it', (place, messages) => {
    expect(() => readOpenAiChat(messages)).toThrow(
      expect.objectContaining({ code: 'invalid-input', message: expect.stringContaining(place) }),
    );
    expect(() => readOpenAiChat(messages)).not.toThrow(/secret/);
  });
});
