import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV3CallOptions,
} from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { type AiSdkModel, fromAiSdk } from '../../../src/models/ai-sdk.ts';
import { collect, request, uncancelled, user } from '../requests.ts';
import { FakeModel, usage } from './fake-model.ts';

const file = { type: 'file', mediaType: 'image/png', data: 'AQID' } as const;
const asked = request([{ role: 'user', content: [file] }]);
const call = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"id":1}' } as const;

function streamOf<Part>(...parts: Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

const v2: LanguageModelV2 = {
  specificationVersion: 'v2',
  provider: 'old',
  modelId: 'two',
  supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'two' }, file, call],
    finishReason: 'tool-calls',
    usage: { inputTokens: 100, outputTokens: 50, totalTokens: 150, cachedInputTokens: 30 },
    warnings: [],
  }),
  doStream: async () => ({
    stream: streamOf(
      { type: 'text-delta', id: '0', delta: 'two' },
      {
        type: 'finish',
        finishReason: 'unknown',
        usage: {
          inputTokens: 1,
          outputTokens: 2,
          totalTokens: undefined,
          reasoningTokens: 1,
        },
      },
    ),
  }),
};

const seen: LanguageModelV3CallOptions[] = [];
const v3: LanguageModelV3 = {
  specificationVersion: 'v3',
  provider: 'old',
  modelId: 'three',
  supportedUrls: {},
  doGenerate: async (options) => {
    seen.push(options);
    const finishReason = { unified: 'stop', raw: 'stop' } as const;
    return { content: [{ type: 'text', text: 'three' }], finishReason, usage, warnings: [] };
  },
  doStream: async () => ({
    stream: streamOf(
      { type: 'text-delta', id: '0', delta: 'three' },
      { type: 'finish', finishReason: { unified: 'length', raw: 'max' }, usage },
    ),
  }),
};

describe('an AI SDK model', () => {
  test('of spec v2 answers with its flat usage and plain reason', async () => {
    const model = fromAiSdk(v2);
    expect(model.id).toBe('old/two');
    expect(await model.generate(asked, uncancelled())).toEqual({
      content: [
        { type: 'text', text: 'two' },
        file,
        { type: 'tool-call', call: { id: 'a', toolName: 'look', inputText: '{"id":1}' } },
      ],
      finishReason: 'tool-calls',
      usage: { inputTokens: 100, outputTokens: 50, cachedInputTokens: 30 },
    });
    expect((await collect(model, asked)).parts).toEqual([
      { type: 'text', text: 'two' },
      {
        type: 'finish',
        result: {
          finishReason: 'other',
          usage: { inputTokens: 1, outputTokens: 2, reasoningTokens: 1 },
        },
      },
    ]);
  });

  test('of spec v3 gets file data untagged', async () => {
    const model = fromAiSdk(v3);
    expect(await model.generate(asked, uncancelled())).toMatchObject({ finishReason: 'stop' });
    expect(seen[0]?.prompt).toEqual([{ role: 'user', content: [file] }]);
    expect((await collect(model, asked)).parts.at(-1)).toMatchObject({
      result: { finishReason: 'length', usage: { inputTokens: 100, cachedInputTokens: 30 } },
    });
  });

  test('of spec v4 keeps only what the engine can use', async () => {
    const answer = fromAiSdk(
      new FakeModel({
        content: [
          {
            type: 'tool-call',
            toolCallId: 'w',
            toolName: 'web',
            input: '{}',
            providerExecuted: true,
          },
          { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: 'found' },
          { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'url', url: new URL('https://a.example/b') },
          },
        ],
      }),
    );
    expect(await answer.generate(request([user('a')]), uncancelled())).toMatchObject({
      content: [{ type: 'file', mediaType: 'image/png', url: 'https://a.example/b' }],
    });
  });

  test('may be given another id', () => {
    expect(fromAiSdk(new FakeModel({}), { id: 'mine' }).id).toBe('mine');
  });

  test('of another spec is refused', () => {
    const future = { ...v3, specificationVersion: 'v9' } as unknown as AiSdkModel;
    expect(() => fromAiSdk(future)).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining('v9') }),
    );
  });

  test.each(['openai/gpt-4o', null, {}, { doGenerate: () => null }])(
    'that is %j is refused',
    (value) => {
      expect(() => fromAiSdk(value as unknown as AiSdkModel)).toThrow(/no AI SDK language model/);
    },
  );
});
