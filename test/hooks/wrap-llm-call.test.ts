import { describe, expect, test } from 'vitest';
import { when } from '../../src/hooks/when.ts';
import type { ChatStreamPart } from '../../src/protocol/chat.ts';
import { illegal, sleep } from './make-gate.ts';
import { around, fails, finish, given, says, text, wraps } from './wrapped-model.ts';

const passes = (name: string, log: string[] = []) =>
  wraps(name, async function* (request, next) {
    log.push(`${name}>`);
    yield* next(request);
    log.push(`<${name}`);
  });

describe('wrapLlmCall — nesting', () => {
  test('U-Y2: they nest, and the first is outermost', async () => {
    const log: string[] = [];
    const run = around([passes('A', log), passes('B', log)], () => {
      log.push('model');
      return says('a', 'b');
    });
    expect(await run.read()).toEqual(['a', 'b', '!']);
    expect(log).toEqual(['A>', 'B>', 'model', '<B', '<A']);
    expect(run.requests).toEqual([given]);
    expect(run.recorded).toEqual([]);
  });

  test('U-X5: one that yields its own parts and never calls next is the answer', async () => {
    const own = wraps('own', async function* () {
      yield text('cached');
      yield finish;
    });
    const run = around([own]);
    expect(await run.read()).toEqual(['cached', '!']);
    expect(run.requests).toEqual([]);
  });

  test('one that only calls next, and is no generator, passes the parts on', async () => {
    const run = around([wraps('plain', (request, next) => next(request))]);
    expect(await run.read()).toEqual(['hello', '!']);
  });

  test('U-Y7: next may be called again, and each time is a call', async () => {
    const again = wraps('again', async function* (request, next) {
      try {
        yield* next(request);
      } catch {
        yield* next(request);
      }
    });
    const run = around([again], (call) => (call === 1 ? fails(new Error('busy')) : says('ok')));
    expect(await run.read()).toEqual(['half', 'ok', '!']);
    expect(run.requests).toHaveLength(2);
    expect(run.failures()).toEqual([]);
  });

  test('a call of next that nobody reads is none', async () => {
    const looks = wraps('looks', async function* (request, next) {
      next(request);
      yield* next(request);
    });
    const run = around([looks]);
    await run.read();
    expect(run.requests).toHaveLength(1);
  });

  test('parts may be changed, dropped and added', async () => {
    const loud = wraps('loud', async function* (request, next) {
      yield text('> ');
      for await (const part of next(request)) {
        if (part.type === 'text') yield text(part.text.toUpperCase());
        else yield part;
      }
    });
    const run = around([loud, passes('inner')], () => says('a', 'b'));
    expect(await run.read()).toEqual(['> ', 'A', 'B', '!']);
  });

  test('parts are frozen, and what a policy keeps of its own stays its own', async () => {
    const mine: ChatStreamPart = { type: 'text', text: 'mine' };
    const seen: ChatStreamPart[] = [];
    const outer = wraps('outer', async function* (request, next) {
      for await (const part of next(request)) {
        seen.push(part);
        yield part;
      }
    });
    const inner = wraps('inner', async function* () {
      yield mine;
      yield finish;
    });
    await around([outer, inner]).read();
    expect(seen.every((part) => Object.isFrozen(part))).toBe(true);
    expect(seen[0]).not.toBe(mine);
    expect(Object.isFrozen(mine)).toBe(false);
  });

  test('U-AE1: the context names the model, the step and what the call is for', async () => {
    const seen: unknown[] = [];
    const reads = wraps('reads', (request, next, ctx) => {
      seen.push([ctx.model, ctx.step, ctx.purpose, ctx.recheck, Object.isFrozen(request)]);
      return next(request);
    });
    await around([reads]).read();
    expect(seen).toEqual([['test-model', 1, 'main', false, true]]);
  });

  test('a condition that is answered later lets the call be, or asks', async () => {
    const own = wraps('own', async function* () {
      yield text('own');
      yield finish;
    });
    expect(await around([when(async () => false, own)]).read()).toEqual(['hello', '!']);
    expect(await around([when(async () => true, own)]).read()).toEqual(['own', '!']);
    expect(await around([when(() => false, own)]).read()).toEqual(['hello', '!']);
  });
});

describe('wrapLlmCall — failures', () => {
  const failing: readonly (readonly [string, string, () => unknown])[] = [
    [
      'throws at once',
      'threw',
      () => {
        throw new TypeError('secret');
      },
    ],
    ['gives nothing', 'illegal', () => undefined],
    ['gives a promise', 'illegal', () => Promise.resolve(says('x'))],
    ['gives a promise that rejects', 'illegal', () => Promise.reject(new Error('secret'))],
    ['gives a list', 'illegal', () => [text('x'), finish]],
    [
      'gives an iterator that is none',
      'threw',
      () => ({ [Symbol.asyncIterator]: () => ({ next: 1 }) }),
    ],
    [
      'gives an iterable without an iterator',
      'illegal',
      () => ({ [Symbol.asyncIterator]: () => 1 }),
    ],
    [
      'throws before its first part',
      'threw',
      async function* () {
        await sleep(1);
        if (given !== undefined) throw new TypeError('secret');
        yield finish;
      },
    ],
    [
      'gives a part that is none',
      'illegal',
      async function* () {
        yield { type: 'text', text: 1 };
      },
    ],
    [
      'gives an unknown part',
      'illegal',
      async function* () {
        yield { type: 'banana' };
      },
    ],
    [
      'gives nothing as a part',
      'illegal',
      async function* () {
        yield undefined;
      },
    ],
    ['ends without a finish part', 'illegal', async function* () {}],
    [
      'gives a step that is none',
      'illegal',
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => null }) }),
    ],
    [
      'gives a finish part with impossible usage',
      'illegal',
      async function* () {
        yield { type: 'finish', result: { finishReason: 'stop', usage: { inputTokens: -1 } } };
      },
    ],
  ];

  test.each(failing)('one that %s fails the call', async (_what, kind, answer) => {
    const run = around([passes('outer'), wraps('bad', () => illegal(answer()))]);
    await expect(run.read()).rejects.toMatchObject({ code: 'hook-failed', policy: 'bad', kind });
    expect(run.wrapped.ending).toMatchObject({ type: 'failed', error: { policy: 'bad' } });
    expect(run.failures()[0]).toMatchObject({
      policy: 'bad',
      point: 'wrapLlmCall',
      kind,
      open: false,
    });
    expect(run.requests).toEqual([]);
    expect(JSON.stringify(run.recorded)).not.toContain('secret');
    await new Promise(setImmediate);
    run.gate.close();
  });

  test.each(failing)(
    'one that %s is as if absent where it is open',
    async (_what, kind, answer) => {
      const bad = wraps('bad', () => illegal(answer()), { wrapLlmCall: { failure: 'open' } });
      const run = around([passes('outer'), bad, passes('inner')]);
      expect(await run.read()).toEqual(['hello', '!']);
      expect(run.failures()[0]).toMatchObject({ kind, open: true });
      expect(run.requests).toEqual([given]);
      await new Promise(setImmediate);
    },
  );

  const late: readonly (readonly [string, Parameters<typeof wraps>[1]])[] = [
    [
      'after a part',
      async function* () {
        yield text('x');
        throw new Error('secret');
      },
    ],
    [
      'after it has read one',
      async function* (request, next) {
        for await (const _part of next(request)) throw new Error('secret');
        yield finish;
      },
    ],
  ];
  test.each(late)('one that fails %s fails the call also where it is open', async (_when, wrap) => {
    const run = around([wraps('bad', wrap, { wrapLlmCall: { failure: 'open' } })]);
    await expect(run.read()).rejects.toMatchObject({ policy: 'bad', kind: 'threw' });
    expect(run.failures()).toMatchObject([{ open: false }]);
    expect(run.open()).toBe(0);
  });

  test('a stream that goes on after its finish part is a failure', async () => {
    const more = wraps('more', async function* () {
      yield finish;
      yield text('x');
    });
    await expect(around([more]).read()).rejects.toMatchObject({ policy: 'more', kind: 'illegal' });
  });

  test('who drops the finish part of the model and gives none has failed, not the one around it', async () => {
    const drops = wraps('drops', async function* (request, next) {
      for await (const part of next(request)) if (part.type !== 'finish') yield part;
    });
    const run = around([passes('outer'), drops]);
    await expect(run.read()).rejects.toMatchObject({ policy: 'drops' });
    expect(run.failures()).toHaveLength(1);
  });

  test('an outer policy cannot make up for the closed failure of an inner one', async () => {
    const log: string[] = [];
    const forgives = wraps('forgives', async function* (request, next) {
      try {
        yield* next(request);
      } catch {
        log.push('caught');
        yield* next(request);
      }
    });
    const bad = wraps('bad', () => {
      throw new Error('no');
    });
    const run = around([forgives, bad]);
    await expect(run.read()).rejects.toMatchObject({ policy: 'bad' });
    await new Promise(setImmediate);
    expect(log).toEqual(['caught']);
    expect(run.requests).toEqual([]);
    expect(run.failures()).toHaveLength(1);
  });

  test('what the model throws is its own failure, through all that let it pass', async () => {
    const error = new Error('busy');
    const run = around([passes('A'), passes('B')], () => fails(error));
    await expect(run.read()).rejects.toBe(error);
    expect(run.wrapped.ending).toBeUndefined();
    expect(run.failures()).toEqual([]);
  });

  test('who catches what the model threw and throws another error has failed', async () => {
    const hides = wraps('hides', async function* (request, next) {
      try {
        yield* next(request);
      } catch {
        throw new Error('mine');
      }
    });
    const run = around([hides], () => fails(new Error('busy')));
    await expect(run.read()).rejects.toMatchObject({ policy: 'hides', kind: 'threw' });
  });

  test('a misuse of the context counts even when it is caught', async () => {
    const misuses = {
      // Memory needs a name.
      wrapLlmCall: async function* (
        ...[request, next, ctx]: Parameters<Parameters<typeof wraps>[1]>
      ) {
        try {
          ctx.memory.get('x');
        } catch {}
        yield* next(request);
      },
    };
    await expect(around([misuses]).read()).rejects.toMatchObject({ kind: 'illegal' });
  });
});
