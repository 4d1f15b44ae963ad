import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import type { ChatModel, ModelRequest } from '../../../src/models/port.ts';
import type { ChatStreamPart } from '../../../src/protocol/chat.ts';
import { calling, collect, request, results, uncancelled, user } from '../requests.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';

const mock = new LLMock({ port: 0, chunkSize: 5 });
const calls = [
  { name: 'look', arguments: '{"id":"A-1"}', id: 'call_a' },
  { name: 'look', arguments: '{"id":"B-2"}', id: 'call_b' },
];
const usage = { prompt_tokens: 100, completion_tokens: 50, input_tokens: 100, output_tokens: 50 };
mock.onMessage('hello', { content: 'Hi there, my friend!', usage, id: 'answer-1' });
mock.onMessage('think', { content: 'Done.', reasoning: 'Let me think' });
mock.onMessage('one call', { toolCalls: calls.slice(0, 1) });
mock.onMessage('two calls', { content: 'Let me see.', toolCalls: calls });
beforeAll(async () => {
  await mock.start();
});
afterAll(() => mock.stop());

const tools = [
  {
    name: 'look',
    description: 'Looks an order up',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  },
];

describe.each(ENDPOINTS)('$name', (endpoint: Endpoint) => {
  const model = (): ChatModel => fromAiSdk(endpoint.open(mock.url), { retry: false });

  test('answers with text', async () => {
    const { whole, parts, texts } = await ask(model(), request([user('hello')]));
    expect(whole.content).toMatchObject([{ type: 'text', text: 'Hi there, my friend!' }]);
    expect(texts('text')).toEqual(['Hi th', 'ere, ', 'my fr', 'iend!']);
    for (const end of [whole, finishOf(parts)]) {
      expect(end).toMatchObject({
        id: 'answer-1',
        model: endpoint.open(mock.url).modelId,
        finishReason: 'stop',
        usage: { inputTokens: 100, outputTokens: 50 },
      });
    }
  });

  test('asks for one tool', async () => {
    const { whole, parts, texts } = await ask(model(), request([user('one call')], { tools }));
    expect(whole.finishReason).toBe('tool-calls');
    expect(callsOf(whole.content)).toEqual([['call_a', 'look', '{"id":"A-1"}']]);
    expect(callsOf(parts)).toEqual(callsOf(whole.content));
    expect(texts('tool-input').join('')).toBe('{"id":"A-1"}');
    expect(finishOf(parts)).toMatchObject({ finishReason: 'tool-calls' });
  });

  test('asks for several tools at once, in order', async () => {
    const { whole, parts } = await ask(model(), request([user('two calls')], { tools }));
    expect(whole.content[0]).toMatchObject({ type: 'text', text: 'Let me see.' });
    expect(callsOf(whole.content)).toEqual([
      ['call_a', 'look', '{"id":"A-1"}'],
      ['call_b', 'look', '{"id":"B-2"}'],
    ]);
    expect(callsOf(parts)).toEqual(callsOf(whole.content));
  });

  test('is sent the calls with their results, the system prompt and the settings', async () => {
    const messages = [
      { role: 'system', content: 'Be kind.' } as const,
      user('Where?'),
      calling({ input: { id: 'A-1' } }, { input: { id: 'B-2' } }),
      results({ output: { at: 'sea' } }, { output: 'lost', outcome: 'failed', isError: true }),
      user('hello'),
    ];
    const settings = { temperature: 0.5, maxTokens: 77, stop: 'END' };
    await model().generate(request(messages, { tools, settings }), uncancelled());
    // The server reads every protocol into OpenAI's.
    const body = mock.journal.getLast()?.body as ChatCompletionRequest; // A model was asked.
    expect(body.messages[0]).toMatchObject({ role: 'system', content: 'Be kind.' });
    const called = body.messages.flatMap((message) => message.tool_calls ?? []);
    expect(called.map((call) => [call.id, JSON.parse(call.function.arguments)])).toEqual([
      ['call_1', { id: 'A-1' }],
      ['call_2', { id: 'B-2' }],
    ]);
    const answered = body.messages.filter((message) => message.role === 'tool');
    expect(answered.map((message) => message.tool_call_id)).toEqual(['call_1', 'call_2']);
    expect(JSON.stringify(answered[0]?.content)).toContain('sea');
    expect(JSON.stringify(answered[1]?.content)).toContain('lost');
    expect(body.tools?.[0]?.function.name).toBe('look');
  });
});

const thinkers = ENDPOINTS.filter(({ wire, compatible }) => wire !== 'chat' || compatible);

test.each(thinkers)('$name tells what it thought', async ({ open }) => {
  const model = fromAiSdk(open(mock.url), { retry: false });
  const { whole, texts } = await ask(model, request([user('think')]));
  const thought = whole.content.filter((part) => part.type === 'reasoning');
  expect(thought).toMatchObject([{ text: 'Let me think' }]);
  expect(texts('reasoning').join('')).toBe('Let me think');
  expect(texts('text').join('')).toBe('Done.');
});

interface Asked {
  readonly whole: Awaited<ReturnType<ChatModel['generate']>>;
  readonly parts: readonly ChatStreamPart[];
  readonly texts: (type: 'text' | 'reasoning' | 'tool-input') => readonly string[];
}

/** Asks twice, for a whole answer and for a streamed one. */
async function ask(model: ChatModel, asked: ModelRequest): Promise<Asked> {
  const whole = await model.generate(asked, uncancelled());
  const { parts, error } = await collect(model, asked);
  expect(error).toBeUndefined();
  const texts = (type: string): readonly string[] =>
    parts.flatMap((part) =>
      part.type === type && 'text' in part && part.text !== '' ? [part.text] : [],
    );
  return { whole, parts, texts };
}

function finishOf(parts: readonly ChatStreamPart[]): unknown {
  const last = parts.at(-1);
  return last?.type === 'finish' ? last.result : undefined;
}

function callsOf(parts: readonly object[]): readonly (readonly string[])[] {
  return parts.flatMap((part) => {
    if (!('call' in part)) return [];
    const { id, toolName, inputText } = part.call as { [key: string]: string }; // Parts with a call have one of texts.
    return [[id ?? '', toolName ?? '', inputText ?? '']];
  });
}
