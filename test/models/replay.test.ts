import { describe, expect, test } from 'vitest';
import { readOpenAiChat } from '../../src/models/read-openai-chat.ts';
import { replayModel } from '../../src/models/replay.ts';
import type { Message } from '../../src/protocol/message.ts';
import { transcript } from './openai-transcript.ts';
import { request, results, uncancelled, user } from './requests.ts';

const recorded = readOpenAiChat(transcript);
const asked = recorded.slice(1, 2);

describe('a replayed conversation', () => {
  test.each([
    ['our own messages', recorded],
    ['OpenAI chat JSON', transcript],
    ['messages that a store wrote as JSON', JSON.parse(JSON.stringify(recorded))],
  ])('answers what was recorded, from %s', async (_, messages: readonly unknown[]) => {
    const model = replayModel(messages);
    expect(await model.generate(request(asked), uncancelled())).toMatchObject({
      content: [
        { type: 'tool-call', call: { id: 'x1', toolName: 'look', inputText: '{"id":"A-1"}' } },
        { type: 'tool-call', call: { id: 'x2', toolName: 'look', inputText: '{}' } },
      ],
      finishReason: 'tool-calls',
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    expect(await model.generate(request(recorded.slice(1, 4)), uncancelled())).toMatchObject({
      content: [{ type: 'text', text: 'A-1 is at sea.' }],
      finishReason: 'stop',
    });
    expect(model.diverged).toBeUndefined();
  });

  test('knows what is left and what the next call should bring', async () => {
    const model = replayModel(recorded);
    expect(model.remaining).toBe(3);
    expect(model.expected).toEqual(asked);
    await model.generate(request(asked), uncancelled());
    expect(model.remaining).toBe(2);
    expect(model.expected).toEqual(recorded.slice(3, 4));
  });

  test('fails once there is nothing left', async () => {
    const model = replayModel(transcript.slice(-1));
    await model.generate(request([]), uncancelled());
    await expect(model.generate(request([]), uncancelled())).rejects.toMatchObject({
      code: 'script-exhausted',
    });
    expect(model.remaining).toBe(0);
    expect(model.expected).toEqual([]);
  });

  test('gives arguments that could not be read exactly as they were', async () => {
    const broken = { id: 'x', function: { name: 'look', arguments: '{"id":' } };
    const model = replayModel([{ role: 'assistant', tool_calls: [broken] }]);
    expect(await model.generate(request([]), uncancelled())).toMatchObject({
      content: [{ call: { inputText: '{"id":' } }],
    });
  });

  test('refuses what is no transcript', () => {
    const mixed = [...recorded.slice(0, 3), { role: 'user', content: 5 }];
    expect(() => replayModel(mixed)).toThrow(/transcript\[3\]/);
    expect(() => replayModel([{ role: 'robot' }])).toThrow(/messages\[0\]\.role/);
  });
});

describe('a conversation that leaves the recorded one', () => {
  const ways: readonly (readonly [string, readonly Message[]])[] = [
    ['another text', [user('Where is C-3?')]],
    ['a message more', [...asked, user('Hello?')]],
    ['no message', []],
  ];
  test.each(ways)('by %s is noticed and answered all the same', async (_, messages) => {
    const model = replayModel(recorded);
    expect(await model.generate(request(messages), uncancelled())).toHaveProperty(
      'finishReason',
      'tool-calls',
    );
    expect(model.diverged).toMatchObject({ call: 1 });
    expect(model.diverged?.what).not.toContain('C-3');
  });

  test('is known by its first difference', async () => {
    const model = replayModel(recorded);
    const changed = results({ output: { at: 'port' } }, { output: 'unknown' });
    await model.generate(request(asked), uncancelled());
    await model.generate(request([...recorded.slice(1, 3), changed]), uncancelled());
    await model.generate(request([]), uncancelled());
    expect(model.diverged).toEqual({ call: 2, what: 'new message 1 is not the recorded one' });
  });

  test('does not count system prompts and the form of a result', async () => {
    const model = replayModel(transcript);
    const same = results({ output: { at: 'sea' } }, { output: 'unknown' });
    await model.generate(
      request([{ role: 'system', content: 'New prompt' }, ...asked]),
      uncancelled(),
    );
    await model.generate(request([...recorded.slice(1, 3), same]), uncancelled());
    expect(model.diverged).toBeUndefined();
  });
});
