import { describe, expect, test } from 'vitest';
import { type AgentEvent, type ChatModel, scriptedModel } from '../../src/index.ts';
import { types } from './evidence.ts';
import { latch } from './latch.ts';
import { agentFor, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

/** Slow enough that a cancel comes in the middle of it. */
const slow = { chunkSize: 6, delayMs: 5, strict: true } as const;
const answer = 'the draft that nobody waits for any more, piece by piece by piece';

/** The model, and what is done when so many pieces of a stream of it have been read. */
function whenRead(model: ChatModel, pieces: number, act: () => void): ChatModel {
  return {
    id: model.id,
    generate: (request, options) => model.generate(request, options),
    async *stream(request, options) {
      let read = 0;
      for await (const piece of model.stream(request, options)) {
        yield piece;
        read += 1;
        if (read === pieces) act();
      }
    },
  };
}

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('K02: a cancel in the middle of an answer leaves the message, no answer and one end', async () => {
      const abort = new AbortController();
      const begin = () => {
        if (!mode.startsWith('stream')) setTimeout(() => abort.abort(), 12);
        return answer;
      };
      const script = scriptedModel([begin, 'and more'], {
        ...slow,
        delayMs: mode.startsWith('stream') ? 1 : 60,
      });
      const model = whenRead(script, 2, () => abort.abort());
      const played = await play(mode, { store: open(), model }, { signal: abort.signal });
      expectStatus(played.result, 'cancelled');
      const stored = await played.store.readMessages('t');
      expect(stored.map(({ role }) => role)).toEqual(['user']);
      const ends = played.streamed.filter(({ type }) => type === 'turn.finished');
      expect(ends).toMatchObject([{ status: 'cancelled' }]);
      expect(played.streamed.at(-1)?.type).toBe('turn.finished');
      expect(types(played.heard)).not.toContain('message.outgoing');
      // What was shown piece by piece is taken back; otherwise nobody saw any of it.
      if (mode === 'stream live') expect(types(played.streamed)).toContain('text.retracted');
      else expect(await placesOf('draft', played)).toEqual([]);
      const next = await played.agent.run({ threadId: 't', message: 'again' });
      expect(expectStatus(next, 'completed').text).toBe('and more');
      await expectSound(played);
    });
  });

  test('K02: nor is a model waited for that does not care', async () => {
    const abort = new AbortController();
    const { whenOpen, open: release } = latch();
    let ended = false;
    const work = async () => {
      setTimeout(() => abort.abort(), 5);
      await whenOpen;
      ended = true;
    };
    const usage = { inputTokens: 1, outputTokens: 1 };
    const deaf: ChatModel = {
      id: 'deaf',
      generate: async () => {
        await work();
        return { content: [{ type: 'text', text: answer }], finishReason: 'stop', usage };
      },
      async *stream() {
        await work();
        yield { type: 'text', text: answer } as const;
        yield { type: 'finish', result: { finishReason: 'stop', usage } } as const;
      },
    };
    const played = await play(mode, { model: deaf }, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    expect(ended).toBe(false);
    release();
    await expect.poll(() => ended).toBe(true);
    expect(await placesOf('draft', played)).toEqual([]);
    await expectSound(played);
  });

  test('K02, without the cancel: the whole answer is stored and shown', async () => {
    const played = await play(mode, { model: scriptedModel([answer], { ...slow, delayMs: 1 }) });
    expect(expectStatus(played.result, 'completed').text).toBe(answer);
    expect(types(played.streamed)).not.toContain('text.retracted');
    expect(await played.store.readMessages('t')).toHaveLength(2);
  });

  test('K16: whoever reads along gets the start first, one end, and nothing after it', async () => {
    const abort = new AbortController();
    for (const script of [['hi'], [new Error('down')], [{ text: '', finishReason: 'stop' }]]) {
      const played = await play(mode, { model: scriptedModel(script as string[]) });
      expectBounded(played.streamed);
    }
    setTimeout(() => abort.abort(), 5);
    const model = scriptedModel([answer], { delayMs: 20 });
    const cancelled = await play(mode, { model }, { signal: abort.signal });
    expectBounded(cancelled.streamed);
  });
});

test.each(['hold', 'live'] as const)(
  'K16: a reader of a %s stream that begins with the run gets each event before the run is over',
  async (streaming) => {
    const model = scriptedModel([answer], { ...slow, delayMs: 2 });
    const agent = agentFor(streaming === 'live' ? 'stream live' : 'stream held', { model });
    const stream = agent.stream({ threadId: 't', message: 'hello' });
    let isOver = false;
    void stream.result.then(() => {
      isOver = true;
    });
    const events: AgentEvent[] = [];
    const early: string[] = [];
    for await (const event of stream) {
      events.push(event);
      if (!isOver) early.push(event.type);
    }
    expectBounded(events);
    expect(early).toEqual(
      expect.arrayContaining(['turn.started', 'step.started', 'llm.requested']),
    );
    expect(early.includes('llm.delta')).toBe(streaming === 'live');
  },
);

function expectBounded(events: readonly AgentEvent[]): void {
  const heard = types(events);
  expect(heard[0]).toBe('turn.started');
  expect(heard.filter((type) => type === 'turn.started')).toHaveLength(1);
  expect(heard.filter((type) => type === 'turn.finished')).toHaveLength(1);
  expect(heard.at(-1)).toBe('turn.finished');
}
