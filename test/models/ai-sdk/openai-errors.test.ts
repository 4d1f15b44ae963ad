import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/errors/model-error.ts';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import type { ChatModel } from '../../../src/models/port.ts';
import { collect, failure, request, uncancelled, user } from '../requests.ts';
import { KEY } from './endpoints.ts';
import { mockOpenAi } from './mock-openai.ts';

const { mock, chat } = mockOpenAi();
const leak = 'PROMPT-LEAK';
const fail = (status: number, more: { code?: string; message?: string } = {}) => ({
  status,
  error: { message: leak, ...more },
});
mock.onMessage('429', { ...fail(429), retryAfter: 7 });
mock.onMessage('401', fail(401, { code: 'invalid_api_key' }));
mock.onMessage('403', fail(403));
mock.onMessage('400', fail(400));
mock.onMessage('404', fail(404));
mock.onMessage('long', fail(400, { code: 'context_length_exceeded' }));
mock.onMessage(
  'wordy',
  fail(400, { message: `This model's maximum context length is 5. ${leak}` }),
);
mock.onMessage('500', fail(500));
mock.onMessage('503', fail(503));
mock.onMessage('529', fail(529));
mock.onMessage(
  'torn',
  { content: 'A long text that the server tears' },
  { truncateAfterChunks: 3 },
);

const expected: readonly (readonly [string, object])[] = [
  ['429', { code: 'rate-limited', statusCode: 429, retryAfterMs: 7_000 }],
  ['401', { code: 'auth-failed', statusCode: 401 }],
  ['403', { code: 'auth-failed', statusCode: 403 }],
  ['400', { code: 'invalid-request', statusCode: 400 }],
  ['404', { code: 'invalid-request', statusCode: 404 }],
  ['long', { code: 'context-overflow', statusCode: 400 }],
  ['wordy', { code: 'context-overflow', statusCode: 400 }],
  ['500', { code: 'server-error', statusCode: 500 }],
  ['503', { code: 'overloaded', statusCode: 503 }],
  ['529', { code: 'overloaded', statusCode: 529 }],
];

describe('an error of the provider', () => {
  test.each(expected)('%s is typed, whole and streamed', async (text, shape) => {
    const generated = await failure(chat().generate(request([user(text)]), uncancelled()));
    const { parts, error } = await collect(chat(), request([user(text)]));
    expect(parts).toEqual([]);
    for (const one of [generated, error]) {
      expect(one).toBeInstanceOf(ModelError);
      expect(one).toMatchObject(shape);
    }
  });

  test('B63: is told without what the provider sent, which stays in the cause', async () => {
    for (const text of ['429', '400', '500']) {
      const error = await failure(chat().generate(request([user(text)]), uncancelled()));
      expect(String(error)).not.toMatch(new RegExp(`${leak}|${KEY}|http`));
      expect(error).toHaveProperty('cause.message', leak);
    }
  });
});

describe('a stream that ends too early', () => {
  test('because the connection tore is an error', async () => {
    const { parts, error } = await collect(chat(), request([user('torn')]));
    expect(error).toMatchObject({ name: 'ModelError', code: 'network' });
    expect(parts.some((part) => part.type === 'finish')).toBe(false);
  });

  const raw = rawOpenAi();

  test('without a reason is an error, and what came before is no whole answer', async () => {
    const { parts, error } = await collect(raw.chat(), request([user('stops')]));
    expect(parts).toEqual([{ type: 'text', text: 'Half an ' }]);
    expect(error).toMatchObject({ name: 'ModelError', code: 'network' });
  });

  test('with an error in it is that error', async () => {
    const { parts, error } = await collect(raw.chat(), request([user('fails')]));
    expect(parts).toEqual([{ type: 'text', text: 'Half an ' }]);
    expect(error).toMatchObject({ name: 'ModelError', code: 'rate-limited' });
    expect(String(error)).not.toContain(leak);
  });

  test('because its reader had enough closes the connection', async () => {
    for await (const _ of raw.chat().stream(request([user('endless')]), uncancelled())) break;
    await raw.closed();
  });

  test('and one that cannot be read is an error too', async () => {
    const { error } = await collect(raw.chat(), request([user('garbage')]));
    expect(error).toMatchObject({ name: 'ModelError', code: 'invalid-response' });
  });
});

/** Answers that aimock does not give: well-formed HTTP around a stream that is not. */
function rawOpenAi(): { readonly chat: () => ChatModel; readonly closed: () => Promise<void> } {
  let onClosed: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  const chunk = (text: string) =>
    `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
  const half = chunk('Half an ');
  const server: Server = createServer(async (incoming, response) => {
    let body = '';
    for await (const data of incoming) body += data;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (body.includes('garbage')) response.end('data: {"choices":5}\n\ndata: [DONE]\n\n');
    else if (body.includes('fails')) {
      const error = { message: leak, type: 'rate_limit_error', code: 'rate_limit_exceeded' };
      response.end(`${half}data: ${JSON.stringify({ error })}\n\ndata: [DONE]\n\n`);
    } else if (body.includes('endless')) {
      response.write(half);
      response.on('close', () => onClosed?.());
    } else response.end(`${half}data: [DONE]\n\n`);
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const baseURL = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    chat: () =>
      fromAiSdk(createOpenAI({ baseURL: baseURL(), apiKey: KEY }).chat('m'), { retry: false }),
    closed: () => closed,
  };
}
