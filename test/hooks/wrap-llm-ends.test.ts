import { describe, expect, test } from 'vitest';
import { POINTS } from '../../src/hooks/points.ts';
import type { ChatStreamPart } from '../../src/protocol/chat.ts';
import { bench, NOW, sleep } from './make-gate.ts';
import { around, finish, given, hangs, says, text, wraps } from './wrapped-model.ts';

const passes = (name: string, log: string[] = []) =>
  wraps(name, async function* (request, next) {
    log.push(`${name}>`);
    yield* next(request);
    log.push(`<${name}`);
  });

/** A model that never says anything. */
async function* silent(): AsyncGenerator<ChatStreamPart> {
  await new Promise(() => undefined);
}

describe('wrapLlmCall — nothing stays open', () => {
  test('a policy that leaves the call early ends it', async () => {
    const first = wraps('first', async function* (request, next) {
      for await (const part of next(request)) {
        yield part;
        break;
      }
      yield finish;
    });
    const run = around([first, passes('inner')], hangs);
    expect(await run.read()).toEqual(['first', '!']);
    expect(run.open()).toBe(0);
  });

  test('a model whose parts cannot be let go of is just not read any more', async () => {
    const first = wraps('first', async function* (request, next) {
      for await (const part of next(request)) {
        yield part;
        break;
      }
      yield finish;
    });
    let read = 0;
    const endless = {
      next: async () => {
        read += 1;
        return { done: false, value: text(`part ${read}`) } as const;
      },
    };
    const { gate } = bench([first]);
    const call = () => ({ [Symbol.asyncIterator]: () => endless });
    const wrapped = gate.llmCall(given, call, NOW);
    const seen: ChatStreamPart[] = [];
    for await (const part of wrapped.parts) seen.push(part);
    wrapped.close();
    expect(seen).toEqual([text('part 1'), finish]);
    expect(read).toBe(1);
  });

  test('who lets go of a call while it waits for a part is told that there is none', async () => {
    const lets = wraps('lets', async function* (request, next) {
      const parts = next(request)[Symbol.asyncIterator]();
      const waiting = parts.next();
      await parts.return?.();
      yield text(`done: ${(await waiting).done}`);
      yield finish;
    });
    const run = around([lets], silent);
    expect(await run.read()).toEqual(['done: true', '!']);
    expect(run.open()).toBe(0);
  });

  test('a second call that was begun and left is ended with the answer', async () => {
    const races = wraps('races', async function* (request, next) {
      const other = next(request)[Symbol.asyncIterator]();
      await other.next();
      yield* next(request);
    });
    const run = around([races], (call) => (call === 1 ? hangs() : says('won')));
    expect(await run.read()).toEqual(['won', '!']);
    expect(run.open()).toBe(0);
  });

  test('a cancel ends every level at once, and runs what they have to clean up', async () => {
    const cleaned: string[] = [];
    const cleans = (name: string) =>
      wraps(name, async function* (request, next, { signal }) {
        signal.addEventListener('abort', () => cleaned.push(`${name} aborted`));
        try {
          yield* next(request);
        } finally {
          cleaned.push(name);
        }
      });
    const run = around([cleans('A'), cleans('B')], hangs);
    const reading = run.read();
    await sleep(5);
    run.cancel.cancel();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(run.wrapped.ending).toEqual({ type: 'cancelled' });
    await new Promise(setImmediate);
    expect(cleaned.toSorted()).toEqual(['A', 'A aborted', 'B', 'B aborted']);
    expect(run.open()).toBe(0);
    expect(run.failures()).toEqual([]);
  });

  test('a policy that never gives a part is interrupted by a cancel too', async () => {
    const run = around([
      wraps('stuck', async function* () {
        await new Promise(() => undefined);
        yield finish;
      }),
    ]);
    const reading = run.read();
    await sleep(5);
    run.cancel.cancel();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('what a policy says after the end is dropped, and what it throws is recorded', async () => {
    const lateOnes = wraps('late', async function* (request, next) {
      try {
        yield* next(request);
      } catch {
        throw new RangeError('too late');
      }
    });
    const run = around([lateOnes], hangs);
    const reading = run.read();
    await sleep(5);
    run.cancel.cancel();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await new Promise(setImmediate);
    expect(run.failures()).toMatchObject([{ late: true, errorName: 'RangeError' }]);
  });

  test('a next that is called when the answer is whole calls nothing', async () => {
    let kept: (() => AsyncIterable<ChatStreamPart>) | undefined;
    const keeps = wraps('keeps', async function* (request, next) {
      kept = () => next(request);
      yield* next(request);
    });
    const run = around([keeps]);
    await run.read();
    const seen: unknown[] = [];
    await expect(
      (async () => {
        for await (const part of kept?.() ?? []) seen.push(part);
      })(),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual([]);
    expect(run.requests).toHaveLength(1);
  });
});

describe('wrapLlmCall — one that is left', () => {
  test('a policy whose part is taken and no other is asked for cleans up, and its signal is aborted', async () => {
    const seen: string[] = [];
    const first = wraps('first', async function* (request, next) {
      for await (const part of next(request)) {
        yield part;
        break;
      }
      await sleep(1);
      seen.push('went on');
      yield finish;
    });
    const inner = wraps('inner', async function* (_request, _next, { signal }) {
      signal.addEventListener('abort', () => seen.push('aborted'));
      try {
        yield text('one');
        yield finish;
      } finally {
        seen.push('cleaned');
      }
    });
    const run = around([first, inner]);
    expect(await run.read()).toEqual(['one', '!']);
    expect(seen.toSorted()).toEqual(['aborted', 'cleaned', 'went on']);
    expect(seen.at(-1)).toBe('went on');
  });

  test('one that has ended can call nothing more, also while the answer is not whole', async () => {
    let kept: (() => AsyncIterable<ChatStreamPart>) | undefined;
    const inner = wraps('inner', async function* (request, next) {
      kept = () => next(request);
      yield* next(request);
    });
    const outer = wraps('outer', async function* (request, next) {
      yield* next(request);
      for await (const _part of kept?.() ?? []);
    });
    const run = around([outer, inner]);
    await run.read();
    expect(run.requests).toHaveLength(1);
  });

  test('one that times out where it is open is told, and the call goes on without it', async () => {
    let reason: unknown;
    const stuck = wraps(
      'stuck',
      async function* (_request, _next, { signal }) {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        await new Promise(() => undefined);
        yield finish;
      },
      { wrapLlmCall: { timeoutMs: 10, failure: 'open' } },
    );
    const run = around([stuck]);
    expect(await run.read()).toEqual(['hello', '!']);
    expect(reason).toMatchObject({ kind: 'timed-out' });
    run.gate.close();
  });

  test('a cancel after the answer changes nothing about it', async () => {
    const run = around([passes('A')]);
    await run.read();
    run.cancel.cancel();
    expect(run.wrapped.ending).toBeUndefined();
  });
});

describe('wrapLlmCall — its time', () => {
  const slow = { wrapLlmCall: { timeoutMs: 30 } };

  test('stands while the policy waits for the call', async () => {
    const run = around(
      [
        wraps('slow', (request, next) => next(request), slow),
        wraps('gen', passes('x').wrapLlmCall as never, slow),
      ],
      async function* () {
        await sleep(70);
        yield text('late');
        await sleep(70);
        yield finish;
      },
    );
    expect(await run.read()).toEqual(['late', '!']);
    run.gate.close();
  });

  test('stands while nobody waits for the policy', async () => {
    const run = around([wraps('slow', passes('x').wrapLlmCall as never, slow)], () =>
      says('a', 'b'),
    );
    const parts = run.wrapped.parts[Symbol.asyncIterator]();
    await parts.next();
    await sleep(70);
    expect(await parts.next()).toMatchObject({ value: { text: 'b' } });
    run.wrapped.close();
    run.gate.close();
  });

  test('runs while the policy works: past it the call has failed, and the signal is aborted', async () => {
    let aborted: unknown;
    const sleeps = wraps(
      'sleeps',
      async function* (request, next, { signal }) {
        signal.addEventListener('abort', () => {
          aborted = signal.reason;
        });
        for await (const part of next(request)) {
          await sleep(20);
          yield part;
        }
      },
      slow,
    );
    const run = around([sleeps], () => says('a', 'b', 'c'));
    await expect(run.read()).rejects.toMatchObject({ policy: 'sleeps', kind: 'timed-out' });
    expect(aborted).toMatchObject({ kind: 'timed-out' });
    expect(run.open()).toBe(0);
    await sleep(40);
    expect(run.failures()).toMatchObject([{ kind: 'timed-out' }, { late: true }]);
    run.gate.close();
  });

  test('an outer policy does not answer for the time of an inner one', async () => {
    const stuck = wraps(
      'stuck',
      async function* () {
        await new Promise(() => undefined);
        yield finish;
      },
      slow,
    );
    const run = around([
      wraps('outer', passes('x').wrapLlmCall as never, { wrapLlmCall: { timeoutMs: 10 } }),
      stuck,
    ]);
    await expect(run.read()).rejects.toMatchObject({ policy: 'stuck', kind: 'timed-out' });
    run.gate.close();
  });

  test('is 30 s where nothing is set', () => {
    expect(POINTS.wrapLlmCall).toMatchObject({ timeoutMs: 30_000, failure: 'closed' });
    expect(POINTS.wrapToolUse).toMatchObject({ timeoutMs: 30_000, failure: 'closed' });
  });
});
