import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import { collect, failure, request, uncancelled, user } from '../requests.ts';
import { FakeModel, finish, usage } from './fake-model.ts';

const asked = request([user('hello')]);

const ended = (finishReason: LanguageModelV4FinishReason): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason,
  usage,
});

async function parts(given: readonly LanguageModelV4StreamPart[]): Promise<readonly unknown[]> {
  const { parts: read, error } = await collect(fromAiSdk(new FakeModel({ parts: given })), asked);
  expect(error).toBeUndefined();
  return read.slice(0, -1);
}

describe('a streamed answer', () => {
  test('gives the metadata of a block once, at its end, whichever part brought it', async () => {
    const signed = { anthropic: { signature: 'abc' } };
    expect(
      await parts([
        { type: 'reasoning-start', id: '0', providerMetadata: { anthropic: { kind: 'open' } } },
        { type: 'reasoning-delta', id: '0', delta: 'hm' },
        { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signed },
        { type: 'reasoning-end', id: '0' },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'ok' },
        { type: 'text-end', id: '1' },
        finish,
      ]),
    ).toEqual([
      { type: 'reasoning', text: 'hm' },
      {
        type: 'reasoning',
        text: '',
        providerMetadata: { anthropic: { kind: 'open', signature: 'abc' } },
      },
      { type: 'text', text: 'ok' },
    ]);
  });

  test('gives the metadata of a block that nobody closed before the finish', async () => {
    const providerMetadata = { p: { a: 1 } };
    expect(
      await parts([{ type: 'text-delta', id: '1', delta: 'ok', providerMetadata }, finish]),
    ).toEqual([
      { type: 'text', text: 'ok' },
      { type: 'text', text: '', providerMetadata },
    ]);
  });

  test('leaves out what the provider runs itself and what is not known', async () => {
    expect(
      await parts([
        { type: 'stream-start', warnings: [] },
        { type: 'tool-input-start', id: 'a', toolName: 'web', providerExecuted: true },
        { type: 'tool-input-delta', id: 'a', delta: '{}' },
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'web',
          input: '{}',
          providerExecuted: true,
        },
        { type: 'tool-result', toolCallId: 'a', toolName: 'web', result: 'found' },
        { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
        { type: 'raw', rawValue: 1 },
        { type: 'future' } as unknown as LanguageModelV4StreamPart,
        finish,
      ]),
    ).toEqual([]);
  });

  test('B91: has an id of its own for every call, whatever the provider sent', async () => {
    const call = { type: 'tool-call', toolName: 'look', input: '{}' } as const;
    const ids = ['', '', 'same', 'same'];
    const read = await parts([...ids.map((toolCallId) => ({ ...call, toolCallId })), finish]);
    expect(read).toMatchObject(
      ['call', 'call_2', 'same', 'same_2'].map((id) => ({ type: 'tool-call', call: { id } })),
    );
  });

  test('B84: keeps interleaved pieces of two calls apart', async () => {
    const piece = (id: string, delta: string) => ({ type: 'tool-input-delta', id, delta }) as const;
    const read = await parts([
      { type: 'tool-input-start', id: 'a', toolName: 'one' },
      { type: 'tool-input-start', id: 'b', toolName: 'two' },
      piece('a', '{"x"'),
      piece('b', '{"y"'),
      piece('a', ':1}'),
      finish,
    ]);
    expect(read).toEqual([
      { type: 'tool-input', id: 'a', toolName: 'one', text: '{"x"' },
      { type: 'tool-input', id: 'b', toolName: 'two', text: '{"y"' },
      { type: 'tool-input', id: 'a', toolName: 'one', text: ':1}' },
    ]);
  });

  test('carries files as base64, and says so where it cannot', async () => {
    const file = (data: { type: 'data'; data: Uint8Array } | { type: 'url'; url: URL }) =>
      ({ type: 'file', mediaType: 'image/png', data }) as const;
    const bytes = { type: 'data', data: new Uint8Array([1, 2, 3]) } as const;
    expect(await parts([file(bytes), finish])).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
    ]);
    const linked = { type: 'url', url: new URL('https://example.com/a.png') } as const;
    const model = fromAiSdk(new FakeModel({ parts: [file(linked), finish] }));
    expect((await collect(model, asked)).error).toMatchObject({ code: 'invalid-response' });
  });

  test('B90: counts cached tokens as part of the input', async () => {
    const { parts: read } = await collect(fromAiSdk(new FakeModel({ parts: [finish] })), asked);
    expect(read.at(-1)).toMatchObject({
      result: {
        usage: { inputTokens: 100, outputTokens: 50, cachedInputTokens: 30, reasoningTokens: 10 },
      },
    });
  });

  test('ends with exactly one finish, and what follows is not read', async () => {
    const model = new FakeModel({
      parts: [finish, { type: 'error', error: new Error('late') }, finish],
    });
    const { parts: read, error } = await collect(fromAiSdk(model), asked);
    expect(error).toBeUndefined();
    expect(read).toHaveLength(1);
    expect(model.closed).toBe(true);
  });

  test.each([
    ['without a finish', []],
    ['interrupted', [{ ...finish, finishReason: { unified: 'interrupted', raw: undefined } }]],
  ] as const)('that ends %s is an error', async (_, end: readonly LanguageModelV4StreamPart[]) => {
    const given = [{ type: 'text-delta', id: '1', delta: 'half' } as const, ...end];
    const { parts: read, error } = await collect(fromAiSdk(new FakeModel({ parts: given })), asked);
    expect(read).toEqual([{ type: 'text', text: 'half' }]);
    expect(error).toMatchObject({ name: 'ModelError', code: 'network' });
  });

  test.each([
    ['overloaded', { type: 'overloaded_error', message: 'PROMPT-LEAK' }],
    ['rate-limited', { error: { code: 'rate_limit_exceeded' } }],
    ['context-overflow', { message: 'prompt is too long: 9 tokens > 5 maximum' }],
    ['model-failed', new Error('PROMPT-LEAK')],
    ['model-failed', undefined],
  ])('that holds an error fails as %s and is closed', async (code, error) => {
    const model = new FakeModel({ parts: [{ type: 'error', error }, finish] });
    const { parts: read, error: raised } = await collect(fromAiSdk(model, { retry: false }), asked);
    expect(read).toEqual([]);
    expect(raised).toMatchObject({ name: 'ModelError', code });
    expect(String(raised)).not.toContain('LEAK');
    expect(model.closed).toBe(true);
  });

  test('that ends in an error is that error, with what it cost, as a whole answer is', async () => {
    const finishReason = { unified: 'error', raw: 'failed' } as const;
    const model = new FakeModel({ finishReason, parts: [ended(finishReason)] });
    const given = fromAiSdk(model, { retry: false });
    const shape = {
      code: 'server-error',
      retryable: true,
      usage: { inputTokens: 100, outputTokens: 50 },
    };
    expect((await collect(given, asked)).error).toMatchObject(shape);
    expect(await failure(given.generate(asked, uncancelled()))).toMatchObject(shape);
  });

  test('that is interrupted costs what was counted until then', async () => {
    const finishReason = { unified: 'interrupted', raw: undefined } as const;
    const model = new FakeModel({ parts: [ended(finishReason)] });
    const { error } = await collect(fromAiSdk(model, { retry: false }), asked);
    expect(error).toMatchObject({ code: 'network', usage: { outputTokens: 50 } });
  });

  test('that nobody reads to the end is closed', async () => {
    const model = new FakeModel({ parts: [{ type: 'text-delta', id: '1', delta: 'a' }, finish] });
    for await (const _ of fromAiSdk(model).stream(asked, { signal: new AbortController().signal }))
      break;
    await expect.poll(() => model.closed).toBe(true);
  });

  test('takes a finish reason that is not known as other, so that no tool runs', async () => {
    const odd = { unified: 'tool_calls' as 'tool-calls', raw: undefined };
    const model = fromAiSdk(
      new FakeModel({ parts: [{ type: 'finish', finishReason: odd, usage }] }),
    );
    expect((await collect(model, asked)).parts).toMatchObject([
      { result: { finishReason: 'other' } },
    ]);
  });
});
