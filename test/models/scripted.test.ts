import { describe, expect, test } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { collect, failure, request, uncancelled, user } from './requests.ts';

const hello = request([user('hello')]);

describe('a scripted model', () => {
  test('B92: gives the first entry to the first call, and fails after the last one', async () => {
    const model = scriptedModel(['A', 'B']);
    expect(await model.generate(hello, uncancelled())).toMatchObject({ content: [{ text: 'A' }] });
    expect(await model.generate(hello, uncancelled())).toMatchObject({ content: [{ text: 'B' }] });
    await expect(model.generate(hello, uncancelled())).rejects.toMatchObject({
      code: 'script-exhausted',
      message: expect.stringMatching(/2 entries, and this is call 3/),
    });
  });

  test('reports 10 tokens in and 20 out, unless the entry says otherwise', async () => {
    const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 1 };
    const model = scriptedModel(['A', { text: 'B', usage }]);
    const first = await model.generate(hello, uncancelled());
    expect(first).toEqual({
      id: 'msg_1',
      model: 'scripted',
      content: [{ type: 'text', text: 'A' }],
      finishReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    expect((await model.generate(hello, uncancelled())).usage).toEqual(usage);
  });

  test('calls tools under ids that no other call of it has', async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: 'a', input: { x: 1 } }, { name: 'b' }] },
      { text: 'and', toolCalls: [{ name: 'a', inputText: '{"x":', id: 'mine' }, { name: 'c' }] },
    ]);
    const first = await model.generate(hello, uncancelled());
    const second = await model.generate(hello, uncancelled());
    expect(first.finishReason).toBe('tool-calls');
    expect(first.content).toEqual([
      { type: 'tool-call', call: { id: 'call_1', toolName: 'a', inputText: '{"x":1}' } },
      { type: 'tool-call', call: { id: 'call_2', toolName: 'b', inputText: '{}' } },
    ]);
    expect(second.content.slice(1)).toEqual([
      { type: 'tool-call', call: { id: 'mine', toolName: 'a', inputText: '{"x":' } },
      { type: 'tool-call', call: { id: 'call_4', toolName: 'c', inputText: '{}' } },
    ]);
  });

  test('fails with the error of its entry and goes on with the next', async () => {
    const error = new Error('down');
    const model = scriptedModel([error, 'A', error]);
    await expect(model.generate(hello, uncancelled())).rejects.toBe(error);
    expect(await model.generate(hello, uncancelled())).toMatchObject({ content: [{ text: 'A' }] });
    expect(await collect(model, hello)).toEqual({ parts: [], error });
  });

  test('lets a function answer from the request', async () => {
    const model = scriptedModel([
      ({ messages }) => `saw ${messages.length}`,
      async () => new Error('late'),
    ]);
    expect(await model.generate(hello, uncancelled())).toMatchObject({
      content: [{ text: 'saw 1' }],
    });
    await expect(model.generate(hello, uncancelled())).rejects.toThrow('late');
  });

  test('keeps every request it was given, failed and streamed calls included', async () => {
    const model = scriptedModel(['A', new Error('down')]);
    await collect(model, hello);
    await collect(model, hello);
    await collect(model, hello);
    expect(model.calls).toBe(3);
    expect(model.requests).toEqual([hello, hello, hello]);
    expect(model.requests[0]).toBe(hello);
  });
});

describe('a scripted stream', () => {
  test('comes in pieces that add up, and ends with one finish', async () => {
    const answer = {
      reasoning: 'hm hm',
      text: 'five 5️⃣ 🎉🎉 done',
      toolCalls: [{ name: 'a', input: { x: 'abcdef' } }],
    };
    const { parts } = await collect(scriptedModel([answer], { chunkSize: 4 }), hello);
    const joined = (type: string) =>
      parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
    expect(joined('reasoning')).toBe('hm hm');
    expect(joined('text')).toBe(answer.text);
    expect(joined('tool-input')).toBe('{"x":"abcdef"}');
    expect(parts.filter((part) => part.type === 'text').length).toBeGreaterThan(2);
    expect(parts.every((part) => !('text' in part) || part.text.isWellFormed())).toBe(true);
    expect(parts.slice(-2)).toEqual([
      { type: 'tool-call', call: { id: 'call_1', toolName: 'a', inputText: '{"x":"abcdef"}' } },
      {
        type: 'finish',
        result: {
          id: 'msg_1',
          model: 'scripted',
          finishReason: 'tool-calls',
          usage: { inputTokens: 10, outputTokens: 20 },
        },
      },
    ]);
  });

  test('counts as one call, however many pieces it has', async () => {
    const model = scriptedModel(['a long answer', 'B'], { chunkSize: 1 });
    await collect(model, hello);
    expect(model.calls).toBe(1);
  });
});

describe('a cancelled call', () => {
  test('ends at once with the reason, in the middle of a wait too', async () => {
    const reason = new Error('user left');
    const started = performance.now();
    const model = scriptedModel(['A', 'B'], { delayMs: 60_000 });
    for (const start of [generate, stream]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 5);
      expect(await start(controller.signal)).toBe(reason);
    }
    expect(performance.now() - started).toBeLessThan(10_000);

    async function generate(signal: AbortSignal): Promise<unknown> {
      return failure(model.generate(hello, { signal }));
    }
    async function stream(signal: AbortSignal): Promise<unknown> {
      return (await collect(model, hello, { signal })).error;
    }
  });

  test('does not use up an entry when it was cancelled before', async () => {
    const model = scriptedModel(['A']);
    const signal = AbortSignal.abort(new Error('early'));
    await expect(model.generate(hello, { signal })).rejects.toThrow('early');
    expect((await collect(model, hello, { signal })).error).toMatchObject({ message: 'early' });
    expect(model.calls).toBe(0);
  });
});
