import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll } from 'vitest';
import type { ChatModel } from '../../src/index.ts';
import { fromAiSdk } from '../../src/models/ai-sdk.ts';

/** An endpoint that answers each request with the next of these streams of OpenAI chunks, for the tests of one file. */
export function splitEndpoint(): {
  /** A model whose answers reach their reader in pieces of this many bytes. */
  readonly model: (
    answers: readonly (readonly object[])[],
    bytes: number,
    provider?: 'openai' | 'compatible',
  ) => ChatModel;
} {
  let answers: (readonly object[])[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const lines = (answers.shift() ?? []).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${lines.join('')}data: [DONE]\n\n`);
    });
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return {
    model: (script, bytes, provider = 'openai') => {
      answers = [...script];
      const fetchSplit: typeof fetch = async (...args) => split(await fetch(...args), bytes);
      const options = { baseURL: `${urlOf(server)}/v1`, apiKey: 'test', fetch: fetchSplit };
      return fromAiSdk(
        provider === 'openai'
          ? createOpenAI(options).chat('gpt-4o')
          : createOpenAICompatible({ name: 'any', ...options })('gpt-4o'),
      );
    },
  };
}

function urlOf(server: Server): string {
  // It listens on a port, not on a pipe.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The same bytes, however the network happened to cut them, in pieces of one size. */
function split(response: Response, bytes: number): Response {
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += bytes)
        controller.enqueue(chunk.slice(at, at + bytes));
    },
  });
  return new Response(response.body?.pipeThrough(cut) ?? null, response);
}

/** One chunk of OpenAI's stream. */
export function chunk(delta: object, finish?: string): object {
  return {
    id: 'chat-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, delta, finish_reason: finish ?? null }],
    ...(finish !== undefined && { usage: { prompt_tokens: 10, completion_tokens: 20 } }),
  };
}
