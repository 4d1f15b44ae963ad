import { describe, expect, test } from 'vitest';
import {
  type ChatModel,
  createAgent,
  limitedModel,
  type ModelCallOptions,
  scriptedModel,
} from '../../src/index.ts';

/** A model whose calls end when a test says so. */
function held() {
  const waiting: (() => void)[] = [];
  const seen = { now: 0, most: 0, calls: 0 };
  const inner = scriptedModel([]);
  const until = async () => {
    seen.calls += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await new Promise<void>((resolve) => waiting.push(resolve));
    seen.now -= 1;
  };
  const answer = {
    content: [{ type: 'text' as const, text: 'hi' }],
    finishReason: 'stop' as const,
    usage: { inputTokens: 1, outputTokens: 1 },
  };
  const model: ChatModel = {
    id: inner.id,
    generate: async () => {
      await until();
      return answer;
    },
    async *stream() {
      await until();
      yield { type: 'text' as const, text: 'hi' };
      const { content: _said, ...result } = answer;
      yield { type: 'finish' as const, result };
    },
  };
  return { model, seen, next: () => waiting.shift()?.() };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
const REQUEST = { messages: [], settings: {}, tools: [] };
const options = (signal = new AbortController().signal): ModelCallOptions => ({ signal });

describe('limitedModel', () => {
  test('agents that share it share its slots, and every turn comes to its end', async () => {
    const { model, seen, next } = held();
    const shared = limitedModel(model, { maxConcurrent: 2 });
    const agents = ['a', 'b'].map((name) => createAgent({ name, model: shared }));
    const runs = agents.flatMap((agent) =>
      [1, 2, 3].map((n) => agent.run({ threadId: `${agent.name}${n}`, message: 'hello' })),
    );
    for (let done = 0; done < 6; done += 1) {
      await turn();
      expect(seen.now).toBe(Math.min(2, 6 - done));
      next();
    }
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(
      Array(6).fill('completed'),
    );
    expect([seen.calls, seen.most]).toEqual([6, 2]);
  });

  test('a turn that is cancelled while it waits has called nothing, and takes no slot', async () => {
    const { model, seen, next } = held();
    const agent = createAgent({ name: 'a', model: limitedModel(model, { maxConcurrent: 1 }) });
    const first = agent.run({ threadId: '1', message: 'hello' });
    await turn();
    const second = agent.run({ threadId: '2', message: 'hello' });
    const third = agent.run({ threadId: '3', message: 'hello' });
    await turn();
    await agent.cancel('2');
    expect((await second).status).toBe('cancelled');
    next();
    await turn();
    next();
    expect([(await first).status, (await third).status]).toEqual(['completed', 'completed']);
    expect(seen.calls).toBe(2);
  });

  test('a stream holds its slot until it is read to its end, or left', async () => {
    const { model, seen, next } = held();
    const limited = limitedModel(model, { maxConcurrent: 1 });
    const left = limited.stream(REQUEST, options())[Symbol.asyncIterator]();
    const part = left.next();
    const after = limited.generate(REQUEST, options());
    await turn();
    next();
    expect(await part).toMatchObject({ value: { type: 'text' } });
    await turn();
    expect(seen.calls).toBe(1);
    await left.return?.();
    await turn();
    expect(seen.calls).toBe(2);
    next();
    expect((await after).finishReason).toBe('stop');
  });

  test('a failed call gives its slot back', async () => {
    const failing: ChatModel = {
      ...scriptedModel([]),
      id: 'failing',
      generate: async () => {
        throw new Error('down');
      },
      stream: () => {
        throw new Error('down');
      },
    };
    const limited = limitedModel(failing, { maxConcurrent: 1 });
    for (let round = 0; round < 3; round += 1) {
      await expect(limited.generate(REQUEST, options())).rejects.toThrow('down');
      const stream = limited.stream(REQUEST, options())[Symbol.asyncIterator]();
      await expect(stream.next()).rejects.toThrow('down');
    }
  });

  test('a signal that is aborted already calls nothing', async () => {
    const { model, seen } = held();
    const limited = limitedModel(model, { maxConcurrent: 1 });
    const call = limited.generate(REQUEST, options(AbortSignal.abort(new Error('gone'))));
    await expect(call).rejects.toThrow('gone');
    expect(seen.calls).toBe(0);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2', undefined])(
    'refuses %j slots',
    (maxConcurrent) => {
      const wrong = { maxConcurrent } as never; // as an app without types might
      expect(() => limitedModel(scriptedModel([]), wrong)).toThrow(/whole number from 1/);
    },
  );
});
