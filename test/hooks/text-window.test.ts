import { describe, expect, test } from 'vitest';
import { WindowDecision } from '../../src/decisions/window-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { compileHooks } from '../../src/hooks/compile.ts';
import { failOpen } from '../../src/hooks/fail-open.ts';
import type { WindowVerdict } from '../../src/hooks/gate.ts';
import { parallel } from '../../src/hooks/parallel.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { shadow } from '../../src/hooks/shadow.ts';
import { when } from '../../src/hooks/when.ts';
import type { TextWindow } from '../../src/protocol/texts.ts';
import { bench, illegal, NOW, sleep } from './make-gate.ts';

const windowOf = (text: string, isFinal = false): TextWindow => ({
  text,
  before: '',
  released: 0,
  isFinal,
});

let names = 0;
const nextName = (): string => {
  names += 1;
  return `p${names}`;
};
const policy = (
  answer: NonNullable<AgentHooks['onTextWindow']>,
  more: Partial<AgentHooks> = {},
): AgentHooks => defineHooks({ name: nextName(), ...more, onTextWindow: answer });
const releasing = (chars: number): AgentHooks => policy(() => WindowDecision.release(chars));

async function ask(hooks: readonly AgentHooks[], window: TextWindow): Promise<WindowVerdict> {
  return bench(hooks).gate.textWindows(NOW).ask(window);
}

describe('what all policies let go', () => {
  test('is the least that any of them released, whatever their order', async () => {
    expect(await ask([releasing(4), releasing(2), releasing(3)], windowOf('hello'))).toEqual({
      type: 'release',
      chars: 2,
    });
    expect(await ask([releasing(0), releasing(5)], windowOf('hello'))).toMatchObject({ chars: 0 });
  });

  test('no opinion releases everything that is held', async () => {
    const silent = policy(() => undefined);
    expect(await ask([silent], windowOf('hello'))).toEqual({ type: 'release', chars: 5 });
    expect(await ask([silent, releasing(1)], windowOf('hello'))).toMatchObject({ chars: 1 });
    const notAsked = when(
      () => false,
      policy(() => WindowDecision.block('x')),
    );
    expect(await ask([notAsked], windowOf('hello'))).toMatchObject({ chars: 5 });
  });

  test('a synchronous answer is there at once, and an asynchronous one counts the same', async () => {
    const { gate } = bench([releasing(1)]);
    expect(gate.textWindows(NOW).ask(windowOf('hi'))).toEqual({ type: 'release', chars: 1 });
    const late = policy(async () => WindowDecision.release(1));
    expect(await ask([late], windowOf('hi'))).toEqual({ type: 'release', chars: 1 });
  });

  test('the first Block ends it, and nobody after is asked', async () => {
    let asked = 0;
    const after = policy(() => {
      asked += 1;
      return undefined;
    });
    const blocks = policy(() => WindowDecision.block('no'), { name: 'guard' });
    expect(await ask([releasing(1), blocks, after], windowOf('hello'))).toEqual({
      type: 'block',
      policy: 'guard',
      reason: 'no',
    });
    expect(asked).toBe(0);
  });

  test('policies that are asked at the same time: a Block wins, else the least counts', async () => {
    const blocks = policy(async () => WindowDecision.block('no'), { name: 'guard' });
    expect(await ask([parallel(releasing(3), blocks)], windowOf('hello'))).toMatchObject({
      type: 'block',
      policy: 'guard',
    });
    const slow = policy(async () => WindowDecision.release(2));
    expect(await ask([parallel(releasing(3), slow)], windowOf('hello'))).toMatchObject({
      chars: 2,
    });
  });

  test('every policy gets the same frozen window', async () => {
    const seen: TextWindow[] = [];
    const look = () => policy((window) => void seen.push(window));
    const window = { text: 'cd', before: 'ab', released: 2, isFinal: false };
    await ask([look(), look()], window);
    expect(seen).toEqual([window, window]);
    expect(seen.every(Object.isFrozen)).toBe(true);
  });
});

describe('an answer that is none is a failure, never a release', () => {
  test.each([
    ['more than is held', WindowDecision.release(6)],
    ['a fraction', WindowDecision.release(1.5)],
    ['not a number', WindowDecision.release(Number.NaN)],
    ['infinity', WindowDecision.release(Number.POSITIVE_INFINITY)],
    ['a negative number', WindowDecision.release(-1)],
    ['a text for a number', illegal({ type: 'release', chars: '3' })],
    ['no number', illegal({ type: 'release' })],
    ['a decision of another point', illegal({ type: 'accept' })],
    ['true', illegal(true)],
    ['null', illegal(null)],
    ['a number', illegal(5)],
  ])('%s', async (_name, decision: WindowDecision) => {
    const { gate, failures, decided } = bench([policy(() => decision, { name: 'guard' })]);
    const verdict = await gate.textWindows(NOW).ask(windowOf('hello'));
    expect(verdict).toMatchObject({ type: 'failed', error: { policy: 'guard', kind: 'illegal' } });
    expect(failures()).toMatchObject([{ policy: 'guard', point: 'onTextWindow', open: false }]);
    expect(decided()).toEqual([]);
  });

  test('throwing, rejecting and hanging', async () => {
    const throws = policy(() => {
      throw new Error('no');
    });
    expect(await ask([throws], windowOf('x'))).toMatchObject({ error: { kind: 'threw' } });
    const rejects = policy(() => Promise.reject(new Error('no')));
    expect(await ask([rejects], windowOf('x'))).toMatchObject({ error: { kind: 'threw' } });
    const hangs = policy(() => new Promise<undefined>(() => undefined), {
      options: { onTextWindow: { timeoutMs: 10 } },
    });
    expect(await ask([hangs], windowOf('x'))).toMatchObject({ error: { kind: 'timed-out' } });
  });

  test('nothing, where a decision must be given', async () => {
    const silent = policy(() => undefined, { options: { onTextWindow: { mustDecide: true } } });
    expect(await ask([silent], windowOf('x'))).toMatchObject({ error: { kind: 'undecided' } });
  });

  test('whoever holds text back at the end of an answer has failed: nothing more can come', async () => {
    expect(await ask([releasing(4)], windowOf('hello', true))).toMatchObject({
      type: 'failed',
      error: { kind: 'illegal', message: expect.stringContaining('holds 1 characters back') },
    });
    expect(await ask([releasing(5)], windowOf('hello', true))).toMatchObject({ chars: 5 });
    expect(await ask([releasing(4)], windowOf('hello', false))).toMatchObject({ chars: 4 });
  });

  test('of an open policy it is no opinion', async () => {
    expect(await ask([failOpen(releasing(9)), releasing(2)], windowOf('hello'))).toMatchObject({
      type: 'release',
      chars: 2,
    });
    expect(await ask([failOpen(releasing(9))], windowOf('hello'))).toMatchObject({ chars: 5 });
  });
});

describe('policies on trial', () => {
  test('release nothing and block nothing', async () => {
    const blocks = shadow(policy(() => WindowDecision.block('no')));
    expect(await ask([blocks, releasing(2)], windowOf('hello'))).toMatchObject({ chars: 2 });
    expect(await ask([shadow(releasing(1)), releasing(3)], windowOf('hello'))).toMatchObject({
      chars: 3,
    });
  });

  test('alone are nobody who could let anything go', async () => {
    expect(await ask([shadow(releasing(5))], windowOf('hello'))).toEqual({
      type: 'release',
      chars: 0,
    });
    expect(compileHooks([shadow(releasing(5))], 'default').releasesText).toBe(false);
    expect(compileHooks([releasing(5)], 'default').releasesText).toBe(true);
    expect(compileHooks([], 'default').releasesText).toBe(false);
  });
});

describe('the record of one answer', () => {
  test('tells of a release only at its end, with a digest, however many pieces it has', async () => {
    const all = policy(({ text }) => WindowDecision.release(text.length), { name: 'all' });
    const { gate, decided, digested } = bench([all]);
    const windows = gate.textWindows(NOW);
    for (const text of ['a', 'ab', 'abc']) await windows.ask(windowOf(text));
    expect(decided()).toEqual([]);
    expect(digested).toEqual([]);
    await windows.ask(windowOf('abcd', true));
    expect(decided()).toEqual(['all release']);
    expect(digested).toHaveLength(1);
  });

  test('tells of a failure also of a policy that it has told a block of', async () => {
    const trial = shadow(
      policy(({ text }) => (text === 'a' ? WindowDecision.block('no') : illegal('x')), {
        name: 'trial',
      }),
    );
    const { gate, decided, failures } = bench([trial]);
    const windows = gate.textWindows(NOW);
    for (const text of ['a', 'ab', 'abc']) await windows.ask(windowOf(text));
    expect(decided()).toEqual(['trial block']);
    expect(failures()).toMatchObject([{ policy: 'trial', shadow: true }]);
  });

  test('tells once of a block on trial and of an open failure', async () => {
    const trial = shadow(policy(() => WindowDecision.block('no'), { name: 'trial' }));
    const open = failOpen(
      policy(
        () => {
          throw new Error('no');
        },
        { name: 'open' },
      ),
    );
    const { gate, decided, failures } = bench([trial, open]);
    const first = gate.textWindows(NOW);
    for (const text of ['a', 'ab', 'abc']) await first.ask(windowOf(text));
    expect(decided()).toEqual(['trial block']);
    expect(failures()).toMatchObject([{ policy: 'open', open: true }]);
    await gate.textWindows(NOW).ask(windowOf('x'));
    expect(decided()).toEqual(['trial block', 'trial block']);
    expect(failures()).toHaveLength(2);
  });
});

describe('a cancel', () => {
  test('cuts a policy off, and what it then says does not count', async () => {
    let signal: AbortSignal | undefined;
    const { gate, cancel } = bench([
      policy(async (_window, ctx) => {
        signal = ctx.signal;
        await sleep(5);
        return WindowDecision.release(1);
      }),
    ]);
    const verdict = gate.textWindows(NOW).ask(windowOf('hello'));
    cancel.cancel();
    expect(await verdict).toEqual({ type: 'cancelled' });
    expect(signal?.aborted).toBe(true);
    expect(await gate.textWindows(NOW).ask(windowOf('hello'))).toEqual({ type: 'cancelled' });
  });
});
