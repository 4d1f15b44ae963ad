import { defineHooks, ModelError, ResponseDecision, type ScriptEntry } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { MODES } from '../acceptance/modes.ts';
import { answer, asked, read, scene, typesOf } from './scene.ts';

const overflow = (tokens = 0): ScriptEntry =>
  new ModelError(
    'context-overflow',
    { where: "model 'm'", what: 'too long', fix: 'shorten' },
    { usage: { inputTokens: tokens, outputTokens: 0 } },
  );
const callLook: ScriptEntry = {
  toolCalls: [{ name: 'look', input: { at: 'r'.repeat(300) } }],
  usage: { inputTokens: 0, outputTokens: 0 },
};
const wide = { maxTokens: 10_000, keepTokens: 5_000 };
const OLD = 'an old question '.repeat(10);

describe.each(MODES)('a request that is too long for the provider, in $name', ({ turn }) => {
  test('C01: the context is compacted by force, and the call made again as a step of its own', async () => {
    const { agent, model, writer, heard, store } = scene({
      script: [answer('first'), overflow(), answer('there')],
      summaries: ['the gist'],
      compaction: wide,
    });
    await turn(agent, { threadId: 't', message: OLD });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'completed', text: 'there', steps: 2 });
    expect([model.calls, writer.calls]).toEqual([3, 1]);
    expect(read(model, 2)).toEqual(['summary: the gist', 'assistant: first', 'user: next']);
    expect(typesOf(heard, 'step.started', 'step.finished')).toHaveLength(6);
    expect(heard.find(({ type }) => type === 'context.compacted')).toMatchObject({
      cause: 'overflow',
    });
    expect(heard.find(({ type }) => type === 'error.raised')).toMatchObject({
      code: 'context-overflow',
      details: { overflows: 1 },
    });
    expect((await store.load('t'))?.state).not.toHaveProperty('overflows');
    expect((await store.load('t'))?.state['streak']).toMatchObject({ count: 0 });
  });

  test('C02: overflows that are not in a row recover as often as they come', async () => {
    const { agent, model, writer } = scene({
      script: [
        answer('first'),
        ...Array.from({ length: 4 }, () => [overflow(), callLook, callLook]).flat(),
        answer('done'),
      ],
      summaries: ['one', 'two', 'three', 'four'],
      compaction: { ...wide, keepTokens: 0 },
    });
    await turn(agent, { threadId: 't', message: OLD });
    const result = await turn(agent, { threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect([model.calls, writer.calls]).toEqual([14, 4]);
  });

  test('the third in a row is the error of the model, which policies are asked about', async () => {
    const seen: string[] = [];
    const { agent, model, writer } = scene({
      script: [
        answer('first'),
        answer('second'),
        ...[overflow(), overflow(), overflow(), overflow()],
        answer('at last'),
      ],
      summaries: ['a gist', 'b', 'c'],
      compaction: wide,
      hooks: [defineHooks({ name: 'ear', onError: ({ code }) => void seen.push(code) })],
    });
    await turn(agent, { threadId: 't', message: OLD });
    await turn(agent, { threadId: 't', message: OLD });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'context-overflow' } });
    expect([model.calls, writer.calls]).toEqual([5, 2]);
    expect(seen).toEqual(['context-overflow']);
    // Half was kept at first, and then only what has to be.
    expect(read(model, 3)).toEqual(['summary: a gist', 'assistant: second', 'user: next']);
    expect(read(model, 4)).toEqual(['summary: b', 'user: next']);
    // A new message is a new beginning: it may be made shorter as often again.
    const next = await turn(agent, { threadId: 't', message: 'again' });
    expect(next).toMatchObject({ status: 'completed', text: 'at last' });
    expect([model.calls, writer.calls]).toEqual([7, 3]);
  });

  test('what is longer than can be read at once goes in parts, before the call is made again', async () => {
    const { agent, model, writer } = scene({
      script: [answer('a'.repeat(50), 1), answer('short', 1), overflow(), answer('there')],
      summaries: ['one', 'two'],
      compaction: { keepTokens: 90, maxSummaryTokens: 4 },
    });
    for (const message of ['m'.repeat(60), 'and now?'])
      await turn(agent, { threadId: 't', message });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'completed', text: 'there' });
    expect([model.calls, writer.calls]).toEqual([4, 2]);
    expect(read(model, 3)).toEqual([
      'summary: two',
      'user: and now?',
      'assistant: short',
      'user: next',
    ]);
  });

  test('a compaction that fails ends the turn, and the thread goes on', async () => {
    const seen: unknown[] = [];
    const { agent, model, store } = scene({
      script: [answer('first'), overflow(), overflow(), answer('better')],
      summaries: [new Error('down'), 'the gist'],
      compaction: wide,
      hooks: [defineHooks({ name: 'ear', onError: (error) => void seen.push(error) })],
    });
    await turn(agent, { threadId: 't', message: OLD });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'compaction-failed', problem: 'model-failed' },
      text: 'Sorry, something went wrong. Please try again.',
    });
    expect(seen).toMatchObject([{ code: 'compaction-failed' }]);
    expect((await store.load('t'))?.state).not.toHaveProperty('summary');
    const next = await turn(agent, { threadId: 't', message: 'again' });
    expect(next).toMatchObject({ status: 'completed', text: 'better' });
    expect(model.calls).toBe(4);
  });

  test('a message that is too long by itself ends the turn without a call for a summary', async () => {
    const { agent, writer } = scene({ script: [overflow()], compaction: wide });
    const result = await turn(agent, { threadId: 't', message: OLD });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'compaction-failed', problem: 'nothing-to-compact' },
    });
    expect(writer.calls).toBe(0);
  });

  test('without the option it is the error of the model', async () => {
    const { agent, writer } = scene({
      script: [answer('first'), overflow(), answer('never')],
      compaction: false,
    });
    await turn(agent, { threadId: 't', message: OLD });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'context-overflow' } });
    expect(writer.calls).toBe(0);
  });

  test('C04: over a limit the turn is limited, and nothing is compacted', async () => {
    const { agent, model, writer, heard } = scene({
      script: [answer('first'), overflow(5), answer('never')],
      summaries: ['never'],
      compaction: wide,
      limits: { tokens: 3 },
    });
    await turn(agent, { threadId: 't', message: OLD });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'limited', limit: 'tokens' });
    expect([model.calls, writer.calls]).toEqual([2, 0]);
    expect(heard.at(-1)).toMatchObject({ type: 'turn.finished', status: 'limited' });
  });
});

describe('what an overflow leaves as it is', () => {
  test('feedback that reached nobody is in the next request, and in no summary', async () => {
    const { agent, model, writer } = scene({
      script: [answer('first'), answer('bad'), overflow(), answer('good')],
      summaries: ['the gist'],
      compaction: wide,
      hooks: [
        defineHooks({
          name: 'strict',
          onLlmResponse: ({ text }) =>
            text === 'bad' ? ResponseDecision.retryWithFeedback('SAY-BETTER') : undefined,
        }),
      ],
    });
    await agent.run({ threadId: 't', message: OLD });
    const result = await agent.run({ threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'completed', text: 'good' });
    expect(read(model, 3).at(-1)).toContain('SAY-BETTER');
    expect(JSON.stringify(asked(writer))).not.toContain('SAY-BETTER');
  });

  test('the streak of rejections neither grows nor ends', async () => {
    const { agent, heard } = scene({
      script: [answer('first'), answer('bad'), overflow(), answer('bad')],
      summaries: ['the gist'],
      compaction: wide,
      maxResponseRetries: 2,
      hooks: [
        defineHooks({
          name: 'strict',
          onLlmResponse: ({ text }) =>
            text === 'bad' ? ResponseDecision.retryWithFeedback('better') : undefined,
        }),
      ],
    });
    await agent.run({ threadId: 't', message: OLD });
    const result = await agent.run({ threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'response-retry-cap' } });
    const streaks = heard.flatMap((event) => (event.type === 'llm.rejected' ? [event.streak] : []));
    expect(streaks).toEqual([1, 2]);
  });
});
