import { afterEach, describe, expect, test, vi } from 'vitest';
import { ErrorDecision } from '../../src/decisions/error-decision.ts';
import type { AgentHooksError } from '../../src/errors/base.ts';
import { ModelError } from '../../src/errors/model-error.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { failOpen } from '../../src/hooks/fail-open.ts';
import { parallel } from '../../src/hooks/parallel.ts';
import { shadow } from '../../src/hooks/shadow.ts';
import { bench, illegal, NOW } from './make-gate.ts';

const DOWN = new ModelError('overloaded', {
  where: "model 'm'",
  what: 'it is busy',
  fix: 'Ask later',
});

type Answer = ReturnType<NonNullable<AgentHooks['onError']>>;
const says = (name: string, answer: () => Answer): AgentHooks => ({ name, onError: answer });

const ANSWERS = {
  nothing: () => undefined,
  recover: () => ErrorDecision.recover(),
  silent: () => ErrorDecision.silent(),
  fallback: () => ErrorDecision.fallback('We are closed.'),
  abort: () => ErrorDecision.abort(),
} as const;

/** The mildest first. */
const ORDER = ['nothing', 'recover', 'silent', 'fallback', 'abort'] as const;
const PAIRS = ORDER.flatMap((one, a) =>
  ORDER.map((other, b) => [one, other, ORDER[Math.max(a, b)] ?? 'nothing'] as const),
);
const typeOf = (name: (typeof ORDER)[number]) => (name === 'nothing' ? 'no-opinion' : name);

afterEach(() => {
  vi.useRealTimers();
});

describe('everyone is asked, and abort beats fallback beats silent beats recover', () => {
  test.each(PAIRS)('X24: %s and %s give %s', async (one, other, expected) => {
    const { gate, decided } = bench([
      says('one', ANSWERS[one]),
      says('other', async () => ANSWERS[other]()),
    ]);
    expect(await gate.error(DOWN, NOW)).toMatchObject({ type: typeOf(expected) });
    const explicit = [
      ['one', one],
      ['other', other],
    ].filter(([, answer]) => answer !== 'nothing');
    expect(decided()).toEqual(explicit.map(([name, answer]) => `${name} ${answer}`));
  });

  test('X24: true is recover and false is abort', () => {
    expect(bench([says('p', () => true)]).gate.error(DOWN, NOW)).toEqual({
      type: 'recover',
      policy: 'p',
    });
    const { gate, decided } = bench([says('p', () => true), says('q', () => false)]);
    expect(gate.error(DOWN, NOW)).toEqual({ type: 'abort', policy: 'q' });
    expect(decided()).toEqual(['p recover', 'q abort']);
  });

  test('X24: of two texts the first one is shown, and everyone who gave one is named', () => {
    const { gate } = bench([
      says('a', () => ErrorDecision.fallback('first')),
      says('b', () => true),
      says('c', () => ErrorDecision.fallback('second')),
    ]);
    expect(gate.error(DOWN, NOW)).toEqual({ type: 'fallback', policy: 'a, c', text: 'first' });
  });

  test('X24: side by side the same counts', async () => {
    const { gate, decided } = bench([
      parallel(
        says('a', async () => true),
        says('b', () => ErrorDecision.silent()),
      ),
    ]);
    expect(await gate.error(DOWN, NOW)).toEqual({ type: 'silent', policy: 'b' });
    expect(decided()).toEqual(['a recover', 'b silent']);
  });

  test('X24: a synchronous answer makes no promise', () => {
    expect(bench([says('p', () => true)]).gate.error(DOWN, NOW)).not.toBeInstanceOf(Promise);
  });

  test('X24: an answer is recorded with the call it is about and a digest, and without its text', async () => {
    const { gate, recorded, digested } = bench([
      says('p', () => ErrorDecision.fallback('MY-TEXT')),
    ]);
    await gate.error(DOWN, NOW, { callId: '1.1.0', toolName: 'pay' });
    expect(recorded).toMatchObject([
      {
        type: 'hook.decided',
        policy: 'p',
        point: 'onError',
        decision: 'fallback',
        callId: '1.1.0',
        toolName: 'pay',
        digest: 'hmac-onError-1',
      },
    ]);
    expect(JSON.stringify(recorded)).not.toContain('MY-TEXT');
    expect(digested).toMatchObject([{ code: 'overloaded', message: DOWN.message }]);
  });

  test('X24: all policies get one frozen error', async () => {
    const seen: AgentHooksError[] = [];
    const keep: AgentHooks = { onError: (error) => void seen.push(error) };
    const { gate } = bench([
      { ...keep, name: 'a' },
      { ...keep, name: 'b' },
    ]);
    await gate.error(DOWN, NOW);
    expect(seen[0]).toBe(seen[1]);
    expect(Object.isFrozen(seen[0])).toBe(true);
  });

  test('X24: what a policy on trial says is recorded and decides nothing', () => {
    const { gate, recorded } = bench([shadow(says('s', () => false)), says('p', () => true)]);
    expect(gate.error(DOWN, NOW)).toEqual({ type: 'recover', policy: 'p' });
    expect(recorded[0]).toMatchObject({ policy: 's', decision: 'abort', shadow: true });
  });
});

describe('a policy that fails over an error has said abort', () => {
  const FAILURES: readonly (readonly [string, string, AgentHooks])[] = [
    [
      'throws',
      'threw',
      says('bad', () => {
        throw new Error('boom');
      }),
    ],
    [
      'rejects',
      'threw',
      says('bad', async () => {
        throw new Error('boom');
      }),
    ],
    [
      'never answers',
      'timed-out',
      {
        ...says('bad', () => new Promise(() => undefined)),
        options: { onError: { timeoutMs: 5 } },
      },
    ],
    ['answers with a text', 'illegal', says('bad', () => illegal('recover'))],
    [
      'answers with a decision of another point',
      'illegal',
      says('bad', () => illegal({ type: 'allow' })),
    ],
    ['answers with null', 'illegal', says('bad', () => illegal(null))],
    ['gives an empty text', 'illegal', says('bad', () => ErrorDecision.fallback(''))],
    [
      'has to decide and does not',
      'undecided',
      { ...says('bad', () => undefined), options: { onError: { mustDecide: true } } },
    ],
  ];

  test.each(FAILURES)('Z8: one that %s', async (_name, kind, bad) => {
    const last = vi.fn(() => ErrorDecision.recover());
    const spied = vi.fn(bad.onError);
    const { gate, failures, decided } = bench([{ ...bad, onError: spied }, says('last', last)]);
    expect(await gate.error(DOWN, NOW)).toEqual({ type: 'abort', policy: 'bad' });
    expect(failures()).toMatchObject([{ policy: 'bad', point: 'onError', kind, open: false }]);
    // The others are asked all the same, and nobody about the failure.
    expect(last).toHaveBeenCalledOnce();
    expect(spied).toHaveBeenCalledOnce();
    expect(decided()).toEqual(['last recover']);
  });

  test.each(FAILURES)(
    'Z8 twin: one that is open at this point and %s has no opinion',
    async (_name, kind, bad) => {
      const { gate, failures } = bench([failOpen(bad), says('last', () => true)]);
      expect(await gate.error(DOWN, NOW)).toEqual({ type: 'recover', policy: 'last' });
      expect(failures()).toMatchObject([{ policy: 'bad', kind, open: true }]);
    },
  );

  test('Z8: one that has not answered within 5 s', async () => {
    vi.useFakeTimers();
    const { gate, failures } = bench([says('slow', () => new Promise(() => undefined))]);
    const judged = gate.error(DOWN, NOW);
    await vi.advanceTimersByTimeAsync(4_990);
    expect(failures()).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(await judged).toEqual({ type: 'abort', policy: 'slow' });
  });

  test('Z8: side by side, a failure is abort whatever the others would have said', async () => {
    const { gate, failures } = bench([
      parallel(
        says('bad', () => illegal('x')),
        says('slow', () => new Promise(() => undefined)),
      ),
    ]);
    expect(await gate.error(DOWN, NOW)).toEqual({ type: 'abort', policy: 'bad' });
    expect(failures()).toHaveLength(1);
  });
});

describe('being told of an error', () => {
  test('X25: no answer comes back, and everyone hears of it', async () => {
    const told: string[] = [];
    const { gate, decided } = bench([
      says('a', () => {
        told.push('a');
        return true;
      }),
      says('b', async () => {
        told.push('b');
        throw new Error('boom');
      }),
      says('c', () => {
        told.push('c');
        return false;
      }),
    ]);
    expect(await gate.tellError(DOWN, NOW)).toBeUndefined();
    expect(told).toEqual(['a', 'b', 'c']);
    expect(decided()).toEqual(['a recover', 'c abort']);
  });

  test('X25: after a cancel too, but nobody is waited for', async () => {
    const told: string[] = [];
    const aborted: boolean[] = [];
    const { gate, cancel } = bench([
      {
        name: 'slow',
        onError: (_error, ctx) => {
          told.push('slow');
          aborted.push(ctx.signal.aborted);
          return new Promise(() => undefined);
        },
      },
      says('b', () => {
        told.push('b');
        return true;
      }),
    ]);
    cancel.cancel();
    expect(await gate.tellError(DOWN, NOW)).toBeUndefined();
    expect(told).toEqual(['slow', 'b']);
    expect(aborted).toEqual([true]);
  });

  test('X25 twin: nobody is asked after a cancel, and no answer counts that comes with it', async () => {
    const asked = vi.fn(() => true);
    const { gate, cancel } = bench([
      says('a', () => new Promise(() => undefined)),
      says('b', asked),
    ]);
    const judging = gate.error(DOWN, NOW);
    cancel.cancel();
    expect(await judging).toEqual({ type: 'cancelled' });
    expect(gate.error(DOWN, NOW)).toEqual({ type: 'cancelled' });
    expect(asked).not.toHaveBeenCalled();
  });
});
