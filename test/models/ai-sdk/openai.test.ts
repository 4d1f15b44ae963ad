import { describe, expect, test } from 'vitest';
import { calling, collect, request, results, uncancelled, user } from '../requests.ts';
import { mockOpenAi } from './mock-openai.ts';

const { mock, chat, responses, lastBody } = mockOpenAi();
const usage = {
  prompt_tokens: 100,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 20 },
};
const two = [
  { name: 'look', arguments: '{"id":"A-1"}', id: 'call_a' },
  { name: 'look', arguments: '{"id":"B-2"}', id: 'call_b' },
];
mock.onMessage('hello', { content: 'Hi there, my friend!', usage, id: 'chat-1' });
mock.onMessage('two calls', { content: 'Let me see.', toolCalls: two });
mock.onMessage('cut off', { content: 'And then', finishReason: 'length' });
mock.onMessage('filtered', { content: '', finishReason: 'content_filter' });
mock.onMessage('odd', { content: 'Hm', finishReason: 'sudden_doubt' });

const look = {
  name: 'look',
  description: 'Looks an order up',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
};

describe('an OpenAI chat model', () => {
  test('answers with text, whole and streamed', async () => {
    const counted = {
      inputTokens: 100,
      outputTokens: 50,
      cachedInputTokens: 30,
      reasoningTokens: 20,
    };
    const finish = {
      id: 'chat-1',
      model: 'gpt-4o',
      finishReason: 'stop',
      usage: expect.anything(),
    };
    const whole = await chat().generate(request([user('hello')]), uncancelled());
    expect(whole).toEqual({ ...finish, content: [{ type: 'text', text: 'Hi there, my friend!' }] });
    const { parts, error } = await collect(chat(), request([user('hello')]));
    expect(error).toBeUndefined();
    expect(parts).toEqual([
      { type: 'text', text: 'Hi th' },
      { type: 'text', text: 'ere, ' },
      { type: 'text', text: 'my fr' },
      { type: 'text', text: 'iend!' },
      { type: 'finish', result: finish },
    ]);
    expect([whole.usage.inputTokens, whole.usage.outputTokens]).toEqual([
      counted.inputTokens,
      counted.outputTokens,
    ]);
  });

  test('asks for several tools at once, whole and streamed, in order', async () => {
    const calls = two.map(({ name, arguments: inputText, id }) => ({
      id,
      toolName: name,
      inputText,
    }));
    const asked = request([user('two calls')], { tools: [look] });
    const whole = await chat().generate(asked, uncancelled());
    expect(whole.finishReason).toBe('tool-calls');
    expect(whole.content).toEqual([
      { type: 'text', text: 'Let me see.' },
      ...calls.map((call) => ({ type: 'tool-call', call })),
    ]);
    const { parts } = await collect(chat(), asked);
    expect(parts.filter((part) => part.type === 'tool-call').map((part) => part.call)).toEqual(
      calls,
    );
    for (const { id, inputText } of calls) {
      const pieces = parts.filter((part) => part.type === 'tool-input' && part.id === id);
      expect(pieces.map((part) => ('text' in part ? part.text : '')).join('')).toBe(inputText);
    }
    expect(parts.at(-1)).toMatchObject({ type: 'finish', result: { finishReason: 'tool-calls' } });
  });

  test.each([
    ['cut off', 'length'],
    ['filtered', 'content-filter'],
    ['odd', 'other'],
  ])('that stops as %j finishes with %s', async (text, finishReason) => {
    expect(await chat().generate(request([user(text)]), uncancelled())).toHaveProperty(
      'finishReason',
      finishReason,
    );
    expect((await collect(chat(), request([user(text)]))).parts.at(-1)).toMatchObject({
      result: { finishReason },
    });
  });

  test('is told the seven settings and the tools', async () => {
    const settings = {
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 10,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      stop: 'END',
      seed: 3,
    };
    await chat().generate(request([user('hello')], { settings, tools: [look] }), uncancelled());
    expect(lastBody()).toMatchObject({
      model: 'gpt-4o',
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 10,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      stop: ['END'],
      seed: 3,
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: look.description, parameters: look.inputSchema },
        },
      ],
    });
  });

  test('gets a whole history back exactly as it was, results right after their calls', async () => {
    const messages = [
      { role: 'system', content: 'Be kind.' } as const,
      user('Where?'),
      calling({ input: { id: 'A-1' } }, { input: '{"id":', malformed: 'cut' }, { input: {} }),
      results(
        { output: { at: 'sea' } },
        { output: 'cannot be read', outcome: 'invalid', isError: true },
        {},
      ),
      user('hello'),
    ];
    await chat().generate(request(messages), uncancelled());
    const wire = (id: string, text: string) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: text },
    });
    expect(lastBody().messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Where?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          wire('call_1', '{"id":"A-1"}'),
          wire('call_2', '{"unreadableArguments":"{\\"id\\":"}'),
          wire('call_3', '{}'),
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"at":"sea"}' },
      { role: 'tool', tool_call_id: 'call_2', content: '{"error":"cannot be read"}' },
      { role: 'tool', tool_call_id: 'call_3', content: 'found' },
      { role: 'user', content: 'hello' },
    ]);
  });

  test('B69: gets a result that looks like a JSON Schema as data', async () => {
    const schema = { $ref: '#/$defs/X' };
    await chat().generate(
      request([calling({}), results({ output: schema }), user('hello')]),
      uncancelled(),
    );
    expect(lastBody().messages[1]).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: '{"$ref":"#/$defs/X"}',
    });
  });
});

describe('an OpenAI responses model', () => {
  test('gets its metadata back with the next request', async () => {
    const { parts } = await collect(responses(), request([user('two calls')], { tools: [look] }));
    const closing = parts.find(
      (part) => part.type === 'text' && part.providerMetadata !== undefined,
    );
    expect(closing).toMatchObject({
      text: '',
      providerMetadata: { openai: { itemId: expect.any(String) } },
    });
    const called = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
    expect(called.map((call) => call.providerMetadata)).toEqual([
      { openai: { itemId: expect.any(String) } },
      { openai: { itemId: expect.any(String) } },
    ]);
    const whole = await responses().generate(
      request([user('two calls')], { tools: [look] }),
      uncancelled(),
    );
    expect(whole.content.map((part) => part.type)).toEqual(['text', 'tool-call', 'tool-call']);
  });
});

describe('a cancelled call', () => {
  test('ends with the reason of the cancel, not with an error of the provider', async () => {
    const reason = new Error('user left');
    const signal = AbortSignal.abort(reason);
    const generated = Promise.resolve(chat().generate(request([user('hello')]), { signal }));
    await expect(generated).rejects.not.toHaveProperty('code', 'model-failed');
    const { parts, error } = await collect(chat(), request([user('hello')]), { signal });
    expect(parts).toEqual([]);
    expect(error).toBe(reason);
  });

  test('stops a stream in the middle', async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const read = async () => {
      for await (const part of chat().stream(request([user('hello')]), {
        signal: controller.signal,
      })) {
        seen.push(part);
        controller.abort();
      }
    };
    await expect(read()).rejects.toThrow();
    expect(seen.length).toBeLessThan(5);
  });
});
