import { describe, expect, test } from 'vitest';
import {
  ModelError,
  type ModelErrorCode,
  type ModelErrorFacts,
} from '../../../src/errors/model-error.ts';
import type { ModelRetry } from '../../../src/models/port.ts';
import { backoffMs } from '../../../src/models/retry/backoff.ts';
import { retryModel } from '../../../src/models/retry.ts';
import type { ChatStreamPart } from '../../../src/protocol/chat.ts';
import { collect, failure, request, uncancelled, user } from '../requests.ts';
import { FlakyModel, USAGE } from './flaky-model.ts';

const asked = request([user('hello')]);
const quick = { minDelayMs: 0, maxDelayMs: 0 };
const failed = (code: ModelErrorCode, facts: ModelErrorFacts = {}) => ({
  fails: new ModelError(code, { where: 'w', what: 'x', fix: 'y' }, facts),
});

/** Options that write down what they are told. */
function listening(restarts?: boolean) {
  const told: ModelRetry[] = [];
  const onRetry = (retry: ModelRetry): void => {
    told.push(retry);
  };
  return {
    told,
    options: { ...uncancelled(), onRetry, ...(restarts !== undefined && { restarts }) },
  };
}

describe('the wait before a retry', () => {
  test('R13: doubles up to its cap, however many there were', () => {
    const limits = { minDelayMs: 500, maxDelayMs: 8_000 };
    const waits = [1, 2, 3, 5, 6, 64, 1e9].map((retry) => backoffMs(retry, limits, 1));
    expect(waits).toEqual([500, 1_000, 2_000, 8_000, 8_000, 8_000, 8_000]);
  });

  test('is by chance between half and all of it', () => {
    const limits = { minDelayMs: 100, maxDelayMs: 1_000 };
    expect([0, 0.5, 1].map((chance) => backoffMs(2, limits, chance))).toEqual([100, 150, 200]);
    const waits = Array.from({ length: 50 }, () => backoffMs(2, limits));
    expect(new Set(waits).size).toBeGreaterThan(5);
    expect(waits.every((wait) => wait >= 100 && wait <= 200)).toBe(true);
  });
});

describe('a retried model', () => {
  test('R08, R09: counts every kind of failure alike, by our rule', async () => {
    const attempts = [
      failed('network'),
      failed('network'),
      failed('network'),
      failed('overloaded'),
    ];
    const few = new FlakyModel('m', [...attempts, { parts: ['ok'] }]);
    const error = await failure(
      retryModel(few, { ...quick, maxRetries: 1 }).generate(asked, uncancelled()),
    );
    expect(error).toMatchObject({ code: 'network' });
    expect(few.seen).toHaveLength(2);
    const many = new FlakyModel('m', [...attempts, { parts: ['ok'] }]);
    const { told, options } = listening();
    await retryModel(many, { ...quick, maxRetries: 4 }).generate(asked, options);
    expect(told.map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [2, 'network'],
      [3, 'network'],
      [4, 'network'],
      [5, 'overloaded'],
    ]);
  });

  test('R10: gives up on a connection that is lost each time', async () => {
    const model = new FlakyModel('m', [failed('network')]);
    const { told, options } = listening(true);
    const { error } = await collect(retryModel(model, quick), asked, options);
    expect(error).toMatchObject({ code: 'network' });
    expect([model.seen.length, told.length]).toEqual([3, 2]);
  });

  test('counts retries over the whole answer, not from one part to the next', async () => {
    const model = new FlakyModel('m', [{ parts: ['a'], ...failed('network') }]);
    const { told, options } = listening(true);
    const { parts, error } = await collect(retryModel(model, quick), asked, options);
    expect(error).toMatchObject({ code: 'network' });
    expect(parts).toHaveLength(3);
    expect(told.map(({ attempt }) => attempt)).toEqual([2, 3]);
  });

  test('does not begin a stream again behind the back of its reader', async () => {
    const model = new FlakyModel('m', [
      { parts: ['half'], ...failed('network') },
      { parts: ['ok'] },
    ]);
    const { told, options } = listening();
    const { parts, error } = await collect(retryModel(model, quick), asked, options);
    expect(parts).toEqual([{ type: 'text', text: 'half' }]);
    expect(error).toMatchObject({ code: 'network' });
    expect([model.seen.length, told]).toEqual([1, []]);
  });

  test('begins it again where nothing was given yet', async () => {
    const model = new FlakyModel('m', [failed('network'), { parts: ['ok'] }]);
    const { parts, error } = await collect(retryModel(model, quick), asked);
    expect(error).toBeUndefined();
    expect(parts).toHaveLength(2);
  });

  test('takes a stream without an end for one that was cut', async () => {
    const endless = { id: 'm', generate: () => Promise.reject(new Error('no')), stream: nothing };
    const { error } = await collect(retryModel(endless, { ...quick, maxRetries: 1 }), asked);
    expect(error).toMatchObject({ code: 'network' });
  });

  test('does not try again what is no ModelError, and passes it on as it is', async () => {
    for (const fails of [
      new TypeError('bug'),
      new Error('odd'),
      'text',
      { code: 'network', retryable: true },
    ]) {
      const model = new FlakyModel('m', [{ fails }]);
      expect(await failure(retryModel(model, quick).generate(asked, uncancelled()))).toBe(fails);
      expect(model.seen).toHaveLength(1);
    }
  });

  test('begins no attempt beyond its budget', async () => {
    const model = new FlakyModel('m', [failed('overloaded')]);
    const limits = { minDelayMs: 40, maxDelayMs: 40, maxRetries: 50, budgetMs: 100 };
    const error = await failure(retryModel(model, limits).generate(asked, uncancelled()));
    expect(error).toMatchObject({ code: 'overloaded' });
    expect(model.seen.length).toBeGreaterThan(1);
    expect(model.seen.length).toBeLessThan(7);
  });

  test('a failed attempt costs what the provider reported, once', async () => {
    const usage = { inputTokens: 7, outputTokens: 1 };
    const attempts = [failed('network', { usage }), failed('network'), { parts: ['ok'] }];
    const both = { inputTokens: 17, outputTokens: 6 };
    const whole = await retryModel(new FlakyModel('m', attempts), quick).generate(
      asked,
      uncancelled(),
    );
    expect(whole.usage).toEqual(both);
    const { parts } = await collect(retryModel(new FlakyModel('m', attempts), quick), asked);
    expect(parts.at(-1)).toMatchObject({ result: { usage: both } });
    const never = new FlakyModel('m', [failed('network', { usage })]);
    const error = await failure(retryModel(never, quick).generate(asked, uncancelled()));
    expect(error).toMatchObject({ code: 'network', usage: { inputTokens: 21, outputTokens: 3 } });
    const bug = new Error('bug');
    const broken = new FlakyModel('m', [failed('network', { usage }), { fails: bug }]);
    const unexplained = await failure(retryModel(broken, quick).generate(asked, uncancelled()));
    expect(unexplained).toMatchObject({ code: 'model-failed', usage, cause: bug });
  });

  test.each(['whole', 'streamed'])(
    'a cancel ends it at once, also where the model does not listen, %s',
    async (how) => {
      const model = new FlakyModel('m', [{ hangs: true }]);
      const controller = new AbortController();
      const options = { signal: controller.signal };
      const reason = new Error('enough');
      setTimeout(() => controller.abort(reason), 10);
      const retried = retryModel(model, quick);
      const ended =
        how === 'whole'
          ? await failure(retried.generate(asked, options))
          : (await collect(retried, asked, options)).error;
      expect(ended).toBe(reason);
      expect(model.seen).toHaveLength(1);
      expect(model.seen[0]?.signal.aborted).toBe(true);
    },
  );

  test('a cancel ends the wait for a retry, and is what the call ends with', async () => {
    const model = new FlakyModel('m', [failed('overloaded')]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const onRetry = (): void => {
      setTimeout(() => controller.abort(reason), 5);
    };
    const limits = { minDelayMs: 60_000, maxDelayMs: 60_000 };
    const options = { signal: controller.signal, onRetry };
    expect(await failure(retryModel(model, limits).generate(asked, options))).toBe(reason);
    expect(model.seen).toHaveLength(1);
  });

  test('asks nothing once it is cancelled', async () => {
    const model = new FlakyModel('m', [{ parts: ['ok'] }]);
    const signal = AbortSignal.abort(new Error('before'));
    expect(await failure(retryModel(model).generate(asked, { signal }))).toBe(signal.reason);
    expect((await collect(retryModel(model), asked, { signal })).error).toBe(signal.reason);
    expect(model.seen).toEqual([]);
  });

  test('does not take a slow reader for a silent model', async () => {
    const model = new FlakyModel('m', [{ parts: ['a', 'b'] }]);
    const texts: string[] = [];
    for await (const part of retryModel(model, { stallMs: 20 }).stream(asked, uncancelled())) {
      if (part.type === 'text') texts.push(part.text);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(texts).toEqual(['a', 'b']);
    expect(model.seen[0]?.signal.aborted).toBe(false);
  });

  test('does not take a long answer for a silent model', async () => {
    const model = new FlakyModel('m', [{ parts: ['a', 'b', 'c', 'd', 'e'], everyMs: 60 }]);
    const { parts, error } = await collect(retryModel(model, { stallMs: 180 }), asked);
    expect(error).toBeUndefined();
    expect(parts).toHaveLength(6);
  });

  test('passes a cancel on at once, also while its reader does something else', async () => {
    const model = new FlakyModel('m', [{ parts: ['a', 'b'] }]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const reading = collectUntil(
      retryModel(model).stream(asked, { signal: controller.signal }),
      () => {
        controller.abort(reason);
        expect(model.seen[0]?.signal.reason).toBe(reason);
      },
    );
    expect(await reading).toBe(1);
  });

  test('does not begin again after an answer that was finished', async () => {
    const late = failed('network').fails;
    const seen: unknown[] = [];
    const model = {
      id: 'm',
      generate: () => Promise.reject(late),
      async *stream(_: unknown, options: unknown): AsyncGenerator<ChatStreamPart> {
        seen.push(options);
        yield { type: 'finish', result: { finishReason: 'stop', usage: USAGE } };
        throw late;
      },
    };
    const { options } = listening(true);
    expect((await collect(retryModel(model, quick), asked, options)).error).toBe(late);
    expect(seen).toHaveLength(1);
  });

  test('lets go of a stream that nobody reads to the end', async () => {
    const model = new FlakyModel('m', [{ parts: ['a', 'b'] }]);
    for await (const _ of retryModel(model).stream(asked, uncancelled())) break;
    await expect.poll(() => model.closed).toBe(1);
    expect(model.seen[0]?.signal.aborted).toBe(true);
  });

  test('leaves no listener and no timer behind', async () => {
    const controller = new AbortController();
    let listening = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listening += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listening -= 1;
      remove(...given);
    };
    const model = new FlakyModel('m', [failed('overloaded'), { parts: ['ok'] }]);
    await retryModel(model, quick).generate(asked, { signal });
    await collect(
      retryModel(new FlakyModel('m', [failed('overloaded'), { parts: ['ok'] }]), quick),
      asked,
      { signal },
    );
    expect(listening).toBe(0);
  });

  test.each([
    [{ maxRetries: -1 }, /maxRetries/],
    [{ stallMs: 0 }, /stallMs/],
    [{ budgetMs: Number.NaN }, /budgetMs/],
    [{ retries: 3 } as object, /no option 'retries'/],
  ])('refuses %j', (options, message) => {
    expect(() => retryModel(new FlakyModel('m', []), options)).toThrow(message);
  });

  test('keeps the id of its model and what an answer costs', async () => {
    const model = retryModel(new FlakyModel('mine', [{ parts: ['ok'] }]));
    expect(model.id).toBe('mine');
    expect((await model.generate(asked, uncancelled())).usage).toEqual(USAGE);
  });
});

/** Reads one part, does something, and says how many parts there were. */
async function collectUntil(stream: AsyncIterable<unknown>, after: () => void): Promise<number> {
  let count = 0;
  for await (const _ of stream) {
    count += 1;
    after();
    break;
  }
  return count;
}

async function* nothing(): AsyncGenerator<never> {}
