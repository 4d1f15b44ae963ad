import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAi3 } from 'openai-v3';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../../src/index.ts';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import { tool } from '../../../src/tools/tool.ts';
import { collect, request, uncancelled, user } from '../requests.ts';
import { ENDPOINTS, KEY } from './endpoints.ts';
import { wireServer } from './wire-server.ts';

const server = wireServer();

const find = tool({
  name: 'find',
  description: 'Finds',
  inputSchema: z.object({ q: z.string(), limit: z.int().optional(), day: z.iso.date().nullish() }),
  sideEffects: 'none',
  execute: (input) => input,
});
const tools = [find.description];

interface SentTool {
  readonly strict?: unknown;
  readonly parameters?: unknown;
  readonly input_schema?: unknown;
  readonly function?: SentTool;
}

/** The one tool of the last request, wherever its protocol has it. */
function sentTool(): SentTool {
  const [one] = (server.received.at(-1)?.body['tools'] ?? []) as SentTool[]; // Each protocol has a list there.
  return one?.function ?? one ?? {};
}

describe.each(ENDPOINTS)('$name', ({ open, wire, compatible }) => {
  test('U-I16, B67: no request says that a tool is strict, whole or streamed', async () => {
    server.answer({ text: 'ok' }, { text: 'ok' });
    const model = fromAiSdk(open(server.url), { retry: false });
    await model.generate(request([user('hi')], { tools }), uncancelled());
    const whole = sentTool();
    await collect(model, request([user('hi')], { tools }));
    for (const sent of [whole, sentTool()]) {
      expect(sent.parameters ?? sent.input_schema).toEqual(tools[0]?.inputSchema);
      expect(JSON.stringify(server.received.at(-1)?.body)).not.toMatch(/"strict":\s*true/);
      // OpenAI's newer endpoint would be strict by itself.
      if (wire !== 'messages' && !compatible) expect(sent.strict).toBe(false);
    }
  });
});

describe('an OpenAI model', () => {
  test('U-I16: is told so under every name its provider may have', async () => {
    const provider = createOpenAi3({ baseURL: `${server.url}/v1`, apiKey: KEY, name: 'house' });
    server.answer({ text: 'ok' });
    const model = fromAiSdk(provider.responses('gpt-5'), { retry: false });
    await model.generate(request([user('hi')], { tools }), uncancelled());
    expect(sentTool().strict).toBe(false);
  });

  test('U-I16: without our word, one package leaves it to the endpoint', async () => {
    server.answer({ text: 'ok' });
    const provider = createOpenAi3({ baseURL: `${server.url}/v1`, apiKey: KEY });
    await provider.responses('gpt-5').doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      tools: [{ type: 'function', name: 'find', inputSchema: { type: 'object', properties: {} } }],
    });
    expect(sentTool()).not.toHaveProperty('strict');
  });

  test('B67: optional fields stay optional on the wire, and null is read back as left out', async () => {
    const provider = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: KEY });
    const call = { id: 'call_1', name: 'find', input: '{"q":"a","limit":null,"day":null}' };
    server.answer({ calls: [call] }, { text: 'done' });
    const model = fromAiSdk(provider.responses('gpt-5'), { retry: false });
    const result = await createAgent({ name: 'desk', model, tools: [find] }).run({ message: 'hi' });
    expect(server.received[0]?.body['tools']).toMatchObject([
      {
        strict: false,
        parameters: { required: ['q'], properties: { limit: { type: 'integer' } } },
      },
    ]);
    expect(JSON.stringify(result)).toContain('"output":{"q":"a","day":null}');
  });
});
