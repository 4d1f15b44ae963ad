import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import type { ChatModel, ModelResponse } from '../../../src/models/port.ts';
import type { ChatStreamPart } from '../../../src/protocol/chat.ts';
import { tool } from '../../../src/tools/tool.ts';
import { calling, collect, request, results, uncancelled, user } from '../requests.ts';
import { ENDPOINTS, type Endpoint, type Wire } from './endpoints.ts';
import { type Answer, COST } from './wire-formats.ts';
import { openStream, type Reply, wireServer } from './wire-server.ts';

const server = wireServer();
const ORDER = z.object({ id: z.string() });
const asked = request([user('hello')]);
const two = [
  { id: 'call_a', name: 'look', input: '{"id":"A-1"}' },
  { id: 'call_b', name: 'look', input: '{"id":"B-2"}' },
];
const inputs = two.map(({ id, input }) => [id, input]);

describe.each(ENDPOINTS)('$name', (endpoint: Endpoint) => {
  const model = (): ChatModel => fromAiSdk(endpoint.open(server.url), { retry: false });
  const whole = (reply: Reply): PromiseLike<ModelResponse> => {
    server.answer(reply);
    return model().generate(asked, uncancelled());
  };
  const streamed = async (reply: Reply): Promise<readonly ChatStreamPart[]> => {
    server.answer(reply);
    const { parts, error } = await collect(model(), asked);
    expect(error).toBeUndefined();
    return parts;
  };

  test('B90: tells what an answer cost, cached tokens once, running totals as they ended', async () => {
    const { reasoningTokens, ...counted } = COST;
    const cost = endpoint.wire === 'messages' ? counted : { ...counted, reasoningTokens };
    expect(await whole({ text: 'Hi' })).toHaveProperty('usage', cost);
    expect((await streamed({ text: 'Hi' })).at(-1)).toHaveProperty('result.usage', cost);
  });

  test('B84: keeps calls apart whose pieces come in turn', async () => {
    const parts = await streamed({ calls: two });
    const calls = parts.filter((part) => part.type === 'tool-call');
    expect(calls.map(({ call }) => [call.id, call.inputText])).toEqual(inputs);
    for (const { id, input } of two) {
      const pieces = parts.filter((part) => part.type === 'tool-input' && part.id === id);
      expect(pieces.map((part) => ('text' in part ? part.text : '')).join('')).toBe(input);
    }
  });

  test('B83: reads a stream that is cut into single bytes', async () => {
    const parts = await streamed(async (response, wire) => {
      const stream = openStream(response);
      const bytes = Buffer.from(wire.events({ text: 'né 🙈 €' }).map(wire.frame).join(''));
      for (const [index, byte] of bytes.entries()) {
        stream.write(Buffer.from([byte]));
        // Each is a chunk of its own, and from time to time also a packet.
        if (index % 64 === 0) await new Promise(setImmediate);
      }
      stream.end(wire.end);
    });
    const texts = parts.map((part) => (part.type === 'text' ? part.text : ''));
    expect(texts.join('')).toBe('né 🙈 €');
    expect(parts.at(-1)).toMatchObject({ type: 'finish', result: { finishReason: 'stop' } });
  });

  test('passes over events that nobody knows', async () => {
    const parts = await streamed((response, wire) => {
      const [first, ...rest] = wire.events({ text: 'Hello' }).map(wire.frame);
      const odd = endpoint.wire === 'chat' ? ': a comment\n\n' : wire.frame({ type: 'ping' });
      openStream(response).end(`${odd}${first}${odd}${rest.join('')}${wire.end}`);
    });
    expect(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe('Hello');
  });

  test.each([
    [{ text: 'Hm', end: 'odd' }, 'other'],
    [{ text: 'Hm', end: 'filter' }, 'content-filter'],
    [{ text: 'Hm', end: 'length' }, 'length'],
  ] as const)('finishes %j with %s', async (answer: Answer, finishReason) => {
    expect(await whole(answer)).toHaveProperty('finishReason', finishReason);
    expect((await streamed(answer)).at(-1)).toHaveProperty('result.finishReason', finishReason);
  });

  test('B88, B89: is sent all results right after their calls, in its own form', async () => {
    server.answer({ text: 'Hi' });
    const messages = [
      { role: 'system', content: 'Be kind.' } as const,
      user('Where?'),
      calling({ input: { id: 'A-1' } }, { input: { id: 'B-2' } }, { input: { id: 'C-3' } }),
      results({ output: 'one' }, { output: 'two' }, { output: 'three' }),
      user('And now?'),
    ];
    await model().generate(request(messages), uncancelled());
    const [sent] = server.received;
    expect(wireOrder(endpoint.wire, sent?.body ?? {})).toEqual([
      'system',
      'user Where?',
      ...['call_1', 'call_2', 'call_3'].map((id) => `call ${id}`),
      'result call_1 one',
      'result call_2 two',
      'result call_3 three',
      'user And now?',
    ]);
  });

  test('B19: an answer with nothing in it is asked for again, and is in no later request', async () => {
    server.answer({}, { text: 'Here' }, { text: 'And here' });
    const agent = createAgent({ name: 'desk', model: model() });
    const events: string[] = [];
    agent.on('llm.retrying', ({ reason }) => events.push(reason));
    const first = await agent.run({ threadId: 't', message: 'hello' });
    await agent.settled();
    expect(first).toMatchObject({
      status: 'completed',
      text: 'Here',
      usage: { outputTokens: 100 },
    });
    expect(events).toEqual(['empty-response']);
    expect(await agent.run({ threadId: 't', message: 'more' })).toMatchObject({ text: 'And here' });
    expect(server.received[1]?.body).toEqual(server.received[0]?.body);
    const { wire } = endpoint;
    const order = wireOrder(wire, server.received[2]?.body ?? {});
    expect(order.filter((each) => each !== 'system')).toEqual([
      'user hello',
      'assistant Here',
      'user more',
    ]);
  });

  test.each(['run', 'stream'] as const)('T15: gets back what it thought, by %s', async (mode) => {
    server.answer({ reasoning: 'Because', calls: two.slice(0, 1) }, { text: 'Done' });
    const { result } = await play(model(), mode);
    expect(result).toMatchObject({ status: 'completed', text: 'Done' });
    const [, second] = server.received;
    const sent = JSON.stringify(second?.body);
    if (endpoint.wire === 'messages') {
      expect(sent).toContain('{"type":"thinking","thinking":"Because","signature":"sig-1"}');
    }
    // Kept at the provider, which wants its name.
    if (endpoint.wire === 'responses')
      expect(sent).toContain('{"type":"item_reference","id":"rs"}');
    if (endpoint.compatible && endpoint.spec !== 'v2') expect(sent).toContain('Because');
    expect(sent).toContain('call_a');
    expect(sent).toContain('on its way');
  });

  test.each(['run', 'stream'] as const)(
    'what it runs itself is no call of ours, by %s',
    async (mode) => {
      server.answer({ hosted: true, text: 'Found it' });
      const { result, ran } = await play(model(), mode);
      expect(result).toMatchObject({ status: 'completed', text: 'Found it', steps: 1 });
      expect(ran).toEqual([]);
    },
  );

  test.each(['run', 'stream'] as const)(
    'calls that were cut off never run, by %s',
    async (mode) => {
      server.answer({ calls: two, end: 'length' }, { text: 'Then not' });
      const { result, ran } = await play(model(), mode);
      expect(ran).toEqual([]);
      expect(result).toMatchObject({ status: 'completed', text: 'Then not' });
      expect(JSON.stringify(result.messages)).toContain('"outcome":"invalid"');
    },
  );

  // Spec v2 does not say why a response of that API is incomplete.
  const tellsWhy = endpoint.wire !== 'responses' || endpoint.spec !== 'v2';
  const modes = tellsWhy ? (['run', 'stream'] as const) : [];
  test.each([...modes])(
    'calls that end for a reason nobody knows never run, by %s',
    async (mode) => {
      server.answer({ text: 'Hm', calls: two, end: 'odd' });
      const { ran } = await play(model(), mode);
      expect(ran).toEqual([]);
    },
  );

  test.each(['run', 'stream'] as const)(
    'a filtered answer ends the turn refused, by %s',
    async (mode) => {
      server.answer({ text: 'Hm', end: 'filter' });
      const { result } = await play(model(), mode);
      expect(result).toMatchObject({ status: 'refused', usage: { outputTokens: 50 } });
      expect(JSON.stringify(result.messages)).not.toContain('Hm');
    },
  );
});

/** One turn with a tool that writes down that it ran. */
async function play(model: ChatModel, mode: 'run' | 'stream') {
  const ran: string[] = [];
  const look = tool({
    name: 'look',
    description: 'Looks an order up',
    inputSchema: ORDER,
    sideEffects: 'none',
    execute: ({ id }) => {
      ran.push(id);
      return 'on its way';
    },
  });
  const agent = createAgent({ name: 'desk', model, tools: [look] });
  if (mode === 'run') return { ran, result: await agent.run({ message: 'hello' }) };
  const stream = agent.stream({ message: 'hello' });
  for await (const _ of stream);
  return { ran, result: await stream.result };
}

type Body = { readonly [key: string]: unknown };

/** What a request says, in its order, whatever its protocol. */
function wireOrder(wire: Wire, body: Body): readonly string[] {
  const list = (body[wire === 'responses' ? 'input' : 'messages'] ?? []) as Body[]; // Both are lists.
  const said = list.flatMap((message) =>
    wire === 'responses' ? itemOrder(message) : messageOrder(message),
  );
  return wire === 'messages' && body['system'] !== undefined ? ['system', ...said] : said;
}

function itemOrder(item: Body): string[] {
  if (item['type'] === 'function_call') return [`call ${item['call_id']}`];
  if (item['type'] === 'function_call_output')
    return [`result ${item['call_id']} ${item['output']}`];
  if (item['type'] === 'item_reference') return [`assistant Here`];
  return messageOrder(item);
}

function messageOrder({
  role,
  content,
  tool_calls: calls,
  tool_call_id: answered,
}: Body): string[] {
  if (role === 'system' || role === 'developer') return ['system'];
  if (role === 'tool') return [`result ${answered} ${content}`];
  const parts = (
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  ) as Body[]; // Texts or parts.
  const said = parts.map((part) => {
    if (part['type'] === 'tool_use') return `call ${part['id']}`;
    if (part['type'] === 'tool_result') {
      const [text] = Array.isArray(part['content'])
        ? (part['content'] as Body[])
        : [{ text: part['content'] }];
      return `result ${part['tool_use_id']} ${text?.['text']}`;
    }
    return `${role} ${part['text']}`;
  });
  return [...said, ...((calls ?? []) as Body[]).map(({ id }) => `call ${id}`)]; // A list where there is one.
}
