import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  type RunStream,
  scriptedModel,
  type UserMessage,
} from '../../src/index.ts';
import { ofType, types } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, play, sleep, stores } from './play.ts';
import { expectSound } from './traces.ts';

const UNSTORED = ['llm.delta', 'tool.progress', 'text.retracted', 'llm.retrying'];
const script = [{ text: 'let me see', toolCalls: [{ name: 'look' }, { name: 'look' }] }, 'done'];
const look = () => counted('look', { sideEffects: 'none' });

async function read(stream: RunStream): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each(['stream held', 'stream live'] as const)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('N02: what was streamed is what is stored, but for what is never stored', async () => {
      const model = scriptedModel(script, { chunkSize: 2 });
      const played = await play(mode, { store: open(), model, tools: [look().tool] });
      expectStatus(played.result, 'completed');
      const streamed = played.streamed.filter(({ type }) => !UNSTORED.includes(type));
      const events = await played.store.readEvents('t');
      expect(events.length).toBeGreaterThan(10);
      expect(JSON.stringify(streamed)).toBe(JSON.stringify(events));
      expect(types(played.streamed).includes('llm.delta')).toBe(mode === 'stream live');
    });

    test('N03: a stream that nobody reads is run and stored to its end, and tells a late reader everything', async () => {
      const store = open();
      const model = scriptedModel(['x'.repeat(300)], { chunkSize: 1 });
      const agent = agentFor(mode, { store, model });
      const stream = agent.stream({ threadId: 't', message: 'hello' });
      expectStatus(await stream.result, 'completed');
      const events = await store.readEvents('t');
      expect(events.at(-1)?.type).toBe('turn.finished');
      const late = await read(stream);
      expect(late.filter(({ type }) => !UNSTORED.includes(type))).toEqual(events);
      const pieces = ofType(late, 'llm.delta').map(({ text }) => text);
      expect(pieces.join('')).toBe(mode === 'stream live' ? 'x'.repeat(300) : '');
    });
  });

  test('N04: a reader that falls behind gets every piece and the end', async () => {
    const model = scriptedModel(['x'.repeat(300)], { chunkSize: 1 });
    const stream = agentFor(mode, { model }).stream({ threadId: 't', message: 'hello' });
    const events: AgentEvent[] = [];
    for await (const event of stream) {
      // Slow for a while, so that more is under way than a reader may be behind.
      if (events.length < 5) await sleep(5);
      events.push(event);
    }
    expect(ofType(events, 'llm.delta')).toHaveLength(mode === 'stream live' ? 300 : 0);
    expect(ofType(events, 'message.outgoing')).toMatchObject([{ text: 'x'.repeat(300) }]);
    expect(events.at(-1)).toMatchObject({ type: 'turn.finished', status: 'completed' });
    expectStatus(await stream.result, 'completed');
  });

  test('N04: a reader that comes back when the run is over has missed nothing', async () => {
    const many = { toolCalls: Array.from({ length: 30 }, () => ({ name: 'look' })) };
    // One step only: the pieces of a second answer would wait for the reader.
    const scene = { model: scriptedModel([many]), tools: [look().tool], limits: { steps: 1 } };
    const agent = agentFor(mode, scene);
    const stream = agent.stream({ threadId: 't', message: 'hello' });
    const events: AgentEvent[] = [];
    for await (const event of stream) {
      if (events.length === 0) expectStatus(await stream.result, 'limited');
      events.push(event);
    }
    expect(events).toEqual(await read(stream));
    expect(ofType(events, 'tool.succeeded')).toHaveLength(30);
    expect(events.at(-1)).toMatchObject({ type: 'turn.finished', status: 'limited' });
  });
});

describe.each(MODES)('%s', (mode) => {
  test.each(['while the run goes on', 'when the run is over'] as const)(
    'N06: a tool that keeps its context and goes on telling %s keeps nothing open, and is not heard',
    async (when) => {
      let told = 0;
      let timer: NodeJS.Timeout | undefined;
      const leaks = counted('look', {
        sideEffects: 'none',
        execute: ({ progress }) => {
          progress('at work');
          timer = setInterval(() => {
            progress('still there');
            told += 1;
          }, 1);
          return 'done';
        },
      });
      const delayMs = when === 'while the run goes on' ? 15 : 0;
      const model = scriptedModel(script, { delayMs });
      const started = performance.now();
      const played = await play(mode, { model, tools: [leaks.tool] });
      expect(performance.now() - started).toBeLessThan(2_000);
      expectStatus(played.result, 'completed');
      const before = told;
      await expect.poll(() => told).toBeGreaterThan(before + 2);
      clearInterval(timer);
      const heard = ofType(played.heard, 'tool.progress').map(({ data }) => data);
      expect(heard).toEqual(['at work', 'at work']);
      expect(played.heard.at(-1)?.type).toBe('turn.finished');
      expect(played.streamed.at(-1)?.type).toBe('turn.finished');
      await expectSound(played);
    },
  );

  test('N06, while the tool runs: what it tells is heard at once', async () => {
    const looks = counted('look', {
      sideEffects: 'none',
      execute: async ({ progress }) => {
        progress('half');
        await sleep(2);
        progress('all');
        return 'done';
      },
    });
    const played = await play(mode, { model: scriptedModel(script), tools: [looks.tool] });
    const heard = ofType(played.streamed, 'tool.progress').map(({ data }) => data);
    expect(heard.toSorted()).toEqual(['all', 'all', 'half', 'half']);
  });

  test('N10: a text or a whole message is enough, and the result holds the text of this call only', async () => {
    const model = scriptedModel(['first', 'second']);
    const message: UserMessage = { role: 'user', content: [{ type: 'text', text: 'again' }] };
    const played = await play(mode, { model }, { message: 'hello' });
    expect(expectStatus(played.result, 'completed').text).toBe('first');
    const next = await play(mode, { model, store: played.store }, { message });
    expect(expectStatus(next.result, 'completed').text).toBe('second');
    expect(next.result.messages).toMatchObject([message, { role: 'assistant' }]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('first');
  });

  test('N10: a call without a thread has one of its own', async () => {
    const agent = agentFor(mode, { model: scriptedModel(['one', 'two']) });
    const input = { message: 'hello' };
    const run = () => (mode.startsWith('stream') ? agent.stream(input).result : agent.run(input));
    const [one, two] = [await run(), await run()];
    expect(one.threadId).not.toBe('');
    expect(one.threadId).not.toBe(two.threadId);
    expect(two.messages).toHaveLength(2);
  });
});
