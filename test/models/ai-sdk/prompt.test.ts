import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import type { Message } from '../../../src/protocol/message.ts';
import { calling, failure, request, results, uncancelled, user } from '../requests.ts';
import { FakeModel } from './fake-model.ts';

async function prompt(messages: readonly Message[]): Promise<LanguageModelV4Prompt | undefined> {
  const model = new FakeModel({});
  await fromAiSdk(model).generate(request(messages), uncancelled());
  return model.seen[0]?.prompt;
}

describe('the prompt', () => {
  test('gives a provider its metadata back where it came from', async () => {
    const providerMetadata = { anthropic: { signature: 'abc' } };
    const content = [
      { type: 'reasoning', text: 'hm', providerMetadata },
      { type: 'text', text: 'ok', providerMetadata },
    ] as const;
    const [assistant, called] = [
      { role: 'assistant', content } as const,
      calling({ providerMetadata }),
    ];
    expect(await prompt([assistant, called, results({})])).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: providerMetadata },
          { type: 'text', text: 'ok', providerOptions: providerMetadata },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool-call', providerOptions: providerMetadata }] },
      { role: 'tool' },
    ]);
  });

  test('returns what a provider sent unchanged on the next turn', async () => {
    const providerMetadata = { p: { itemId: 'rs_1', encrypted: 'xyz' } };
    const model = new FakeModel({ content: [{ type: 'reasoning', text: 'hm', providerMetadata }] });
    const { content } = await fromAiSdk(model).generate(request([user('a')]), uncancelled());
    const parts = content.filter((part) => part.type === 'reasoning');
    expect(await prompt([user('a'), { role: 'assistant', content: parts }])).toMatchObject([
      {},
      { content: [{ type: 'reasoning', text: 'hm', providerOptions: providerMetadata }] },
    ]);
  });

  test('B88: has all results of a batch in one message, in call order, each as what it is', async () => {
    const messages = [
      calling({}, {}, {}, {}),
      results(
        { output: 'text' },
        { output: [1] },
        { output: 'no', outcome: 'denied', isError: true },
        { output: { code: 5 }, outcome: 'failed', isError: true },
      ),
    ];
    const result = (id: string, output: object) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 'look',
      output,
    });
    expect((await prompt(messages))?.slice(1)).toEqual([
      {
        role: 'tool',
        content: [
          result('call_1', { type: 'text', value: 'text' }),
          result('call_2', { type: 'json', value: [1] }),
          result('call_3', { type: 'error-text', value: 'no' }),
          result('call_4', { type: 'error-json', value: { code: 5 } }),
        ],
      },
    ]);
  });

  test('tells calls of one id in different steps apart, and keeps each result with its call', async () => {
    const again = calling({ callId: 't.2.0' });
    const messages = [
      calling({}),
      results({ output: 'first' }),
      again,
      results({ callId: 't.2.0', output: 'second' }),
    ];
    const read = await prompt(messages);
    expect(read?.map((message) => message.content)).toMatchObject([
      [{ toolCallId: 'call_1' }],
      [{ toolCallId: 'call_1', output: { value: 'first' } }],
      [{ toolCallId: 'call_1_2' }],
      [{ toolCallId: 'call_1_2', output: { value: 'second' } }],
    ]);
  });

  test('has an object as the input of a call that could not be read', async () => {
    const broken = calling({ input: '{"id":', malformed: 'cut' });
    expect(await prompt([broken, results({ outcome: 'invalid', isError: true })])).toMatchObject([
      { content: [{ type: 'tool-call', input: { unreadableArguments: '{"id":' } }] },
      {},
    ]);
  });

  test('B19: leaves out an assistant message without content', async () => {
    expect(await prompt([user('a'), { role: 'assistant', content: [] }, user('b')])).toHaveLength(
      2,
    );
  });

  test('has files by data and by URL', async () => {
    const file = { type: 'file', mediaType: 'image/png' } as const;
    const url = 'https://example.com/a.png';
    const content = [
      { ...file, data: 'AQID', filename: 'a.png' },
      { ...file, url },
    ];
    expect(await prompt([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { ...file, data: { type: 'data', data: 'AQID' }, filename: 'a.png' },
          { ...file, data: { type: 'url', url: new URL(url) } },
        ],
      },
    ]);
  });

  test('cannot have a file whose URL is none', async () => {
    const file = { type: 'file', mediaType: 'image/png', url: 'secret' } as const;
    const model = fromAiSdk(new FakeModel({}));
    const error = await failure(
      model.generate(request([{ role: 'user', content: [file] }]), uncancelled()),
    );
    expect(error).toMatchObject({ code: 'invalid-request' });
    expect(String(error)).not.toContain('secret');
  });
});

describe('the call options', () => {
  test('hold no settings and no tools where there are none, and the provider’s own options', async () => {
    const model = new FakeModel({});
    const providerOptions = { openai: { reasoningEffort: 'low' } };
    await fromAiSdk(model, { providerOptions }).generate(request([user('a')]), uncancelled());
    expect(model.seen[0]).toEqual({
      prompt: expect.anything(),
      abortSignal: expect.any(AbortSignal),
      providerOptions,
    });
  });

  test('list the same functions for every request of one agent', async () => {
    const model = new FakeModel({});
    const adapted = fromAiSdk(model);
    const tools = [{ name: 'a', description: 'A', inputSchema: { type: 'object' } }];
    await adapted.generate(request([user('a')], { tools }), uncancelled());
    await adapted.generate(request([user('b')], { tools }), uncancelled());
    await adapted.generate(request([user('c')], { tools: [...tools, ...tools] }), uncancelled());
    expect(model.seen[0]?.tools).toEqual([{ type: 'function', ...tools[0] }]);
    expect(model.seen[1]?.tools).toBe(model.seen[0]?.tools);
    expect(model.seen[2]?.tools).toHaveLength(2);
  });
});
