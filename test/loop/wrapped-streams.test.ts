import { type AgentHooks, type ChatModel, type ChatStreamPart, scriptedModel } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { agentFor, expectStatus, play, sleep } from '../acceptance/play.ts';

type Wrap = NonNullable<AgentHooks['wrapLlmCall']>;
const wraps = (
  name: string,
  wrapLlmCall: Wrap,
  options: AgentHooks['options'] = {},
): AgentHooks => ({
  name,
  options,
  wrapLlmCall,
});

const text = (value: string): ChatStreamPart => ({ type: 'text', text: value });
const end = (tokens = 0): ChatStreamPart => ({
  type: 'finish',
  result: { finishReason: 'stop', usage: { inputTokens: tokens, outputTokens: tokens } },
});
describe('around the model call, streamed', () => {
  const pieces = (events: readonly { readonly type: string }[]): readonly string[] =>
    events.flatMap((event) =>
      event.type === 'llm.delta' && 'text' in event && typeof event.text === 'string'
        ? [event.text]
        : [],
    );
  const shouts = wraps('shouts', async function* (request, next) {
    for await (const part of next(request)) {
      yield part.type === 'text' ? text(part.text.toUpperCase()) : part;
    }
  });

  test('live: only what the outermost gives leaves', async () => {
    const model = scriptedModel(['abcdef'], { chunkSize: 3 });
    const inner = wraps('inner', (request, next) => next(request));
    const { streamed, result } = await play('stream live', { model, hooks: [shouts, inner] });
    expect(pieces(streamed)).toEqual(['ABC', 'DEF']);
    expect(result).toMatchObject({ text: 'ABCDEF' });
  });

  test('by default nothing leaves before the verdict', async () => {
    const agent = agentFor('run', { model: scriptedModel(['abc']), hooks: [shouts] });
    const stream = agent.stream({ threadId: 't', message: 'hello' });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).not.toContain('llm.delta');
    expect(await stream.result).toMatchObject({ text: 'ABC' });
  });

  test('window: what it gives is what is let go', async () => {
    const seen: string[] = [];
    const window: AgentHooks = {
      name: 'window',
      onTextWindow: (held) => void seen.push(held.text),
    };
    const agent = agentFor('run', {
      model: scriptedModel(['abcdef'], { chunkSize: 3 }),
      hooks: [shouts, window],
      streaming: 'window',
    });
    const stream = agent.stream({ threadId: 't', message: 'hello' });
    const events: { readonly type: string }[] = [];
    for await (const event of stream) events.push(event);
    expect(pieces(events)).toEqual(['ABC', 'DEF']);
    expect(seen.join('')).not.toMatch(/[a-z]/);
  });

  test('live: a slow reader holds the policies up, and so the model', async () => {
    let given = 0;
    const model: ChatModel = {
      id: 'm',
      generate: () => Promise.reject(new Error('not here')),
      async *stream() {
        for (; given < 1_000; given += 1) yield text('x');
        yield end(1);
      },
    };
    const agent = agentFor('stream live', { model, hooks: [shouts] });
    const stream = agent.stream({ threadId: 't', message: 'hello' });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    await sleep(20);
    expect(given).toBeLessThan(200);
    for await (const _event of { [Symbol.asyncIterator]: () => reader });
    expect(given).toBe(1_000);
    expect(await stream.result).toMatchObject({ status: 'completed', text: 'X'.repeat(1_000) });
  });

  test('a run that does not stream asks the model for a whole answer', async () => {
    const used: string[] = [];
    const scripted = scriptedModel([{ text: 'ok', reasoning: 'Hm.' }, 'ok']);
    const model: ChatModel = {
      id: 'm',
      generate: (request, options) => {
        used.push('generate');
        return scripted.generate(request, options);
      },
      stream: (request, options) => {
        used.push('stream');
        return scripted.stream(request, options);
      },
    };
    const kinds: string[] = [];
    const reads = wraps('reads', async function* (request, next) {
      for await (const part of next(request)) {
        kinds.push(part.type);
        yield part;
      }
    });
    await play('run', { model, hooks: [reads] });
    await play('stream held', { model, hooks: [reads] });
    expect(used).toEqual(['generate', 'stream']);
    expect(kinds.slice(0, 3)).toEqual(['reasoning', 'text', 'finish']);
  });
});

describe('a model below policies that gives what it must not', () => {
  const passes = wraps('passes', (request, next) => next(request));
  const streams = (parts: readonly unknown[]): ChatModel => ({
    id: 'm',
    // A model written without types may give anything.
    generate: () =>
      Promise.resolve({ content: 'x', usage: { inputTokens: 4, outputTokens: 0 } } as never),
    async *stream() {
      yield* parts as readonly ChatStreamPart[];
    },
  });

  test.each([
    ['no end', [text('x')]],
    ['more after its end', [end(4), text('x')]],
    ['a part that is none', [{ type: 'text', text: 1 }]],
    [
      'an end that cannot be read',
      [{ type: 'finish', result: { usage: { inputTokens: 4, outputTokens: 0 } } }],
    ],
  ])('%s is the failure of the model', async (what, parts) => {
    const { result, heard } = await play('stream held', { model: streams(parts), hooks: [passes] });
    const failed = expectStatus(result, 'failed');
    expect(failed.error).toMatchObject({ code: 'invalid-response' });
    expect(failed.usage.inputTokens).toBe(/end/.test(what) && what !== 'no end' ? 4 : 0);
    expect(heard.filter(({ type }) => type === 'hook.failed')).toEqual([]);
  });

  test('a whole answer that cannot be read is too, and what it cost counts', async () => {
    const { result } = await play('run', { model: streams([]), hooks: [passes] });
    const failed = expectStatus(result, 'failed');
    expect(failed.error).toMatchObject({ code: 'invalid-response' });
    expect(failed.usage).toMatchObject({ inputTokens: 4 });
  });
});
