import { createOpenAI } from '@ai-sdk/openai';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll } from 'vitest';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import type { ChatModel } from '../../../src/models/port.ts';
import { KEY } from './endpoints.ts';

/** A server on a free port of this machine that speaks OpenAI's protocol, for the tests of one file. */
export function mockOpenAi(): {
  readonly mock: LLMock;
  readonly chat: () => ChatModel;
  readonly responses: () => ChatModel;
  readonly lastBody: () => ChatCompletionRequest;
} {
  const mock = new LLMock({ port: 0, chunkSize: 5 });
  beforeAll(async () => {
    await mock.start();
  });
  afterAll(() => mock.stop());
  const provider = () => createOpenAI({ baseURL: `${mock.url}/v1`, apiKey: KEY });
  return {
    mock,
    chat: () => fromAiSdk(provider().chat('gpt-4o'), { retry: false }),
    responses: () => fromAiSdk(provider().responses('gpt-4o'), { retry: false }),
    lastBody: () => {
      const body = mock.journal.getLast()?.body;
      if (body === null || body === undefined || !('messages' in body))
        throw new Error('no request');
      return body as ChatCompletionRequest;
    },
  };
}
